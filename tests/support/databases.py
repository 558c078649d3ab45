"""Databases for tests and benchmarks."""

from typing import Any
from urllib.parse import quote, urlsplit

import psycopg
from flask import Flask
from psycopg import sql


def create_database(url: str, name: str, template: str | None = None) -> str:
    """Create a database on the same server as `url`, either empty or as a copy of `template`. Return its URL."""
    statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
    if template is not None:
        statement += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)
    return urlsplit(url)._replace(path=f"/{quote(name)}").geturl()


def everything(app: Flask) -> dict[str, list[Any]]:
    """Return the rows of all tables, with their places and transactions."""
    url = app.config["SQLALCHEMY_DATABASE_URI"].replace("+psycopg", "")
    with psycopg.connect(url) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        rows = sql.SQL("SELECT to_jsonb(t)::text, ctid::text, xmin::text FROM {} t ORDER BY 1")
        return {name: connection.execute(rows.format(sql.Identifier(name))).fetchall() for (name,) in names}
