"""Pictures of the table, made from a view and therefore without secrets."""
