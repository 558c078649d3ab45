"""Databases for tests and benchmarks."""

from urllib.parse import quote, urlsplit

import psycopg
from psycopg import sql


def create_database(url: str, name: str, template: str | None = None) -> str:
    """Create a database on the same server as `url`, either empty or as a copy of `template`. Return its URL."""
    statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
    if template is not None:
        statement += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)
    return urlsplit(url)._replace(path=f"/{quote(name)}").geturl()
