"""Pictures of the table, drawn from a view and therefore without secrets."""
