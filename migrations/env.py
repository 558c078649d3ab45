"""Alembic's entrance; `server.store.migrate` hands in the connection, which belongs to the tables' owner."""

from alembic import context

from server.store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    compare_type=True,
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
