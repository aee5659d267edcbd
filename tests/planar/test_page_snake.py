"""Pages of snakes and their torques."""

from __future__ import annotations

import pytest

from holdfast.errors import InputError
from holdfast.planar.page import ENTRIES, SnakePage, flattened, scene_entry
from holdfast.scenes import load_planar
from holdfast.web.page import PageEntry
from tests.viewer.stand_in import Visit, assert_leaves_nothing_behind


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_every_ready_snake_opens_and_follows_its_sliders(entry: PageEntry) -> None:
    with Visit(entry.make) as visit:
        scene = load_planar(visit.page._scene)
        direct = scene.torque_sets()  # pyright: ignore[reportAttributeAccessIssue]
        words = {"unique": "good", "ambiguous": "open", "infeasible": "bad"}
        visit.drag("Deepest torque of T*", True)
        assert visit.verdict.shown.tone == "good"
        if len(visit.page._torques) <= 2:
            visit.drag("Torque 1 [N m]", 0.0)
            assert visit.verdict.shown.tone == words[direct.classify(list(visit.page.state().torques))]
        visit.drag("Friction", 0.05)
        changed = scene.with_mu(0.05).torque_sets()  # pyright: ignore[reportAttributeAccessIssue]
        torques, _ = flattened(changed, visit.page.state().torques)
        assert visit.verdict.shown.tone == words[changed.classify(list(torques))]
        assert not visit.errors
        assert_leaves_nothing_behind(visit)


def test_torques_shown_of_a_long_snake_are_chosen_from_a_menu() -> None:
    with Visit(lambda context: SnakePage(context, "@six_link_snake")) as visit:
        menu = visit.browser.gui.controls["Torques shown"]
        assert menu.value == "1, 2, 3" and "4, 5" in menu.options
        visit.drag("Torques shown", "4, 5")
        assert visit.page.state().shown == (3, 4)
        assert visit.browser.scene.nodes["/page/motor 1"].text.startswith("motor 4")


def test_a_chain_of_a_file_has_its_own_page_and_a_body_has_none() -> None:
    scene = load_planar("@two_link_snake_uncertain")
    entry = scene_entry(scene)  # pyright: ignore[reportArgumentType]
    with Visit(entry.make) as visit:
        assert not visit.errors and visit.page.title == scene.name
    page = Visit(lambda context: SnakePage(context, "@ladder"))
    with pytest.raises(InputError, match="is no chain"):
        page.page.open()
    page.worker.close()


def test_keys_are_unique() -> None:
    assert len({entry.key for entry in ENTRIES}) == len(ENTRIES)
