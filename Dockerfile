# The server of factable, with compiled kernels and all embedded models; see docs/serve.md.
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
WORKDIR /source
COPY pyproject.toml setup.py README.md LICENSE ./
COPY src src
RUN python -m venv /opt/factable && /opt/factable/bin/pip install --no-cache-dir ".[serve]"

FROM python:3.12-slim
COPY --from=build /opt/factable /opt/factable
RUN useradd --create-home factable
USER factable
ENV FACTABLE_CACHE=off PYTHONDONTWRITEBYTECODE=1
EXPOSE 8765
HEALTHCHECK --start-period=60s CMD ["/opt/factable/bin/python", "-c", \
    "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/healthz', timeout=5)"]
# Other addresses than loopback need FACTABLE_TOKEN.
ENTRYPOINT ["/opt/factable/bin/factable", "serve", "--host", "0.0.0.0"]
