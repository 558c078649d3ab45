"""Plans: moves that a player leaves for his next turns."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from server.api.auth import caller
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, needs
from server.errors import HandedOver, IllegalPlan, NotRunning, NotSeated, StalePlan
from server.play.planning.plans import drop_plan, get_plan, put_plan

blp = Blueprint("plans", __name__, url_prefix="/v1/games/<uuid:game_id>/seats/me", description="Plans")


@blp.route("/plan")
class OwnPlan(MethodView):
    @blp.response(200, schemas.Plan, example=examples.PLAN)
    @blp.doc(operationId="getPlan", **needs("games:read"))
    @blp.raises(NotSeated, HandedOver)
    def get(self, game_id: UUID) -> Any:
        """Your plan as it stands; nobody else sees it"""
        return get_plan(game_id, caller("games:read").player_id)

    @blp.arguments(schemas.PlanWanted, example=examples.PLAN_WANTED)
    @blp.response(200, schemas.Plan, example=examples.PLAN)
    @blp.doc(operationId="putPlan", **needs("moves:write"))
    @blp.raises(NotSeated, NotRunning, HandedOver, StalePlan, IllegalPlan)
    def put(self, wanted: Any, game_id: UUID) -> Any:
        """Leave moves for your next turns, each on conditions that every spectator can check

        In each of your turns the next of them is played, at once or `after` a time, if all its conditions hold at the
        version that made it your turn. A move that may not be played then ends the plan, as do a move that you make
        otherwise and a move that is taken back; you are told. A plan may use only what you hold when you leave it.
        """
        return put_plan(game_id, caller("moves:write").player_id, wanted["revision"], wanted["moves"])

    @blp.response(204)
    @blp.doc(operationId="dropPlan", **needs("moves:write"))
    @blp.raises(NotSeated, HandedOver)
    def delete(self, game_id: UUID) -> None:
        """Leave nothing for your next turns any more"""
        drop_plan(game_id, caller("moves:write").player_id)
