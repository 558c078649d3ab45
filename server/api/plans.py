"""Plans: moves that players prepare for their next turns."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from server.api.auth import caller
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, needs
from server.errors import HandedOver, IllegalPlan, NotRunning, NotSeated, StalePlan
from server.play.planning.plans import drop_plan, get_plan, put_plan

blp = Blueprint(
    "plans", __name__, url_prefix="/v1/games/<uuid:game_id>/seats/me", description="Plans: moves for your next turns"
)


@blp.route("/plan")
class OwnPlan(MethodView):
    @blp.response(200, schemas.Plan, example=examples.PLAN)
    @blp.doc(operationId="getPlan", **needs("games:read"))
    @blp.raises(NotSeated, HandedOver)
    def get(self, game_id: UUID) -> Any:
        """Get your plan

        Only you can see your plan.
        """
        return get_plan(game_id, caller("games:read").player_id)

    @blp.arguments(schemas.PlanWanted, example=examples.PLAN_WANTED)
    @blp.response(200, schemas.Plan, example=examples.PLAN)
    @blp.doc(operationId="putPlan", **needs("moves:write"))
    @blp.raises(NotSeated, NotRunning, HandedOver, StalePlan, IllegalPlan)
    def put(self, wanted: Any, game_id: UUID) -> Any:
        """Create or replace your plan

        A plan contains moves for your next turns. Each move can have conditions, which may refer only to what
        spectators can see. When your turn begins, the next move's conditions are checked against the game at that
        moment. If all are true, the move is played immediately or `after` a delay.

        The plan ends when a condition is false, a planned move is illegal, you make a move yourself, or a move is taken
        back. You are notified when it ends. A plan can use only cards and pieces that you already have when you send
        it.
        """
        return put_plan(game_id, caller("moves:write").player_id, wanted["revision"], wanted["moves"])

    @blp.response(204)
    @blp.doc(operationId="dropPlan", **needs("moves:write"))
    @blp.raises(NotSeated, HandedOver)
    def delete(self, game_id: UUID) -> None:
        """Delete your plan"""
        drop_plan(game_id, caller("moves:write").player_id)
