"""Pages of planar bodies."""

from __future__ import annotations

import pytest

from holdfast.errors import InputError
from holdfast.planar.page import ENTRIES, PlanarBodyPage, body_answer, scene_entry
from holdfast.scenes import load_planar
from holdfast.web.page import PageEntry
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_every_ready_body_opens_with_the_motions_of_its_scene(entry: PageEntry) -> None:
    with Visit(entry.make) as visit:
        scene = visit.page._scene
        assert list(visit.verdict.shown.lines) == list(body_answer(visit.page.state(), scene).verdict.lines)
        direct = scene.motions()
        assert [line.split(":")[0] for line in visit.verdict.shown.lines] == list(direct.modes)
        visit.drag("Force x [N]", visit.browser.gui.controls["Force x [N]"].max)
        visit.drag("Friction", 0.0)
        direct = scene.changed(force=visit.page.state().force, mu=0.0).motions()
        assert [line.split(":")[0] for line in visit.verdict.shown.lines] == list(direct.modes)[:8]
        visit.drag("Load of the scene", True)
        assert visit.page.state().mu is None and visit.page.state().force == tuple(scene.force)
        assert not visit.errors
        assert_leaves_nothing_behind(visit)


def test_one_of_several_motions_is_drawn_alone() -> None:
    with Visit(lambda context: PlanarBodyPage(context, "@three_points")) as visit:
        visit.drag("Friction", 3.0)
        for label, value in (("Force x [N]", 0.99), ("Force y [N]", 0.16), ("Torque [N m]", 0.03)):
            visit.drag(label, value)
        assert visit.verdict.shown.status == "3 motions are possible" and "reactions" not in visit.names
        visit.drag("Drawn", "second motion")
        assert visit.page.state().chosen == 1 and not visit.errors


def test_a_body_of_a_file_has_its_own_page_and_a_chain_has_none() -> None:
    scene = load_planar("@peg_wedged")
    with Visit(scene_entry(scene).make) as visit:  # pyright: ignore[reportArgumentType]
        assert not visit.errors and visit.page.title == scene.name
    page = Visit(lambda context: PlanarBodyPage(context, "@two_link_snake"))
    with pytest.raises(InputError, match="is no body"):
        page.page.open()
    page.worker.close()


def test_keys_are_unique() -> None:
    assert len({entry.key for entry in ENTRIES}) == len(ENTRIES)
