"""Pictures of the table. They are drawn from a view, and therefore contain no secrets."""
