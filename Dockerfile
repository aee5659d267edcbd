# Holdfast with all extras, in the versions of constraints.txt. Files of the host are mounted at /data.
#
#   docker build -t holdfast .
#   docker run --rm holdfast check @suction_cup
#   docker run --rm -v "$PWD:/data" holdfast limit @two_opposed_units --direction 0,0,-1 --plot limit.png
#   docker run --rm -p 127.0.0.1:8080:8080 holdfast view --host 0.0.0.0 --port 8080 --no-open \
#      --allow-host localhost:8080 --allow-host 127.0.0.1:8080
FROM python:3.12-slim

COPY pyproject.toml constraints.txt README.md LICENSE /source/
COPY src /source/src
RUN pip install --no-cache-dir -c /source/constraints.txt "/source[all]" && rm -rf /source

RUN useradd --create-home holdfast && mkdir /data /kernels && chown holdfast /data /kernels
USER holdfast
WORKDIR /data

# Kernels are compiled once, here, for the processor of this machine; on another processor they are compiled again.
ENV NUMBA_CACHE_DIR=/kernels
RUN holdfast compile

ENTRYPOINT ["holdfast"]
CMD ["--help"]
