-- The one text of the functions of the database. A step of `migrations/` puts it there, so whoever changes it here adds a
-- step like 0024; a test compares the two. What a function takes and gives back is changed under a new name, since web and
-- worker of the release before may still call the old one.
--
-- The game comes first among the arguments: tables that are spread over machines have all rows of a game on one of them.

-- An unexpected version means that somebody else was faster: then nothing is written, and NULL comes back.
--
-- Row by row: Citus runs a statement that names one row where that is, while a set of rows made from JSON it copies there
-- by way of a file, which takes longer than all the rest. A single Postgres takes 0.02 ms longer for it.
CREATE OR REPLACE FUNCTION record_commit(
  game uuid, seen integer, head jsonb, new_events jsonb, changed_seats jsonb, letters jsonb
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  e record;
  c record;
  l record;
BEGIN
  UPDATE games SET version = (head->>'version')::integer, status = head->>'status',
      outcome = nullif(head->'outcome', 'null'), drawn = (head->>'drawn')::integer
    WHERE game_id = game AND version = seen;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  FOR e IN SELECT * FROM jsonb_to_recordset(new_events)
      AS (seq integer, version integer, type text, seat integer, body jsonb, recorded_at timestamptz, hash text) LOOP
    INSERT INTO events (game_id, seq, version, type, seat, body, recorded_at, hash)
      VALUES (game, e.seq, e.version, e.type, e.seat, e.body, e.recorded_at, decode(e.hash, 'hex'));
  END LOOP;
  FOR c IN SELECT * FROM jsonb_to_recordset(changed_seats)
      AS (seat integer, to_act boolean, turn integer, stand_in text, asked_at timestamptz, allowed double precision,
          lent double precision, hours jsonb, due_at timestamptz, remind_at timestamptz, wake_at timestamptz) LOOP
    UPDATE seats SET to_act = c.to_act, turn = c.turn, stand_in = c.stand_in, asked_at = c.asked_at,
        allowed = c.allowed, lent = c.lent, hours = c.hours, due_at = c.due_at, remind_at = c.remind_at,
        -- a plan is looked at when its seat is asked, also one that was left after the game was read for this commit
        wake_at = CASE WHEN planned AND c.wake_at IS NOT NULL THEN least(c.wake_at, c.asked_at) ELSE c.wake_at END
      WHERE game_id = game AND seat = c.seat;
  END LOOP;
  FOR l IN SELECT * FROM jsonb_to_recordset(letters)
      AS (letter_id uuid, dedupe text, kind text, version integer, seat integer, player_id uuid, data jsonb,
          made_at timestamptz) LOOP
    INSERT INTO outbox (game_id, letter_id, dedupe, kind, version, seat, player_id, data, made_at, due_at, tries)
      VALUES (game, l.letter_id, l.dedupe, l.kind, l.version, l.seat, l.player_id, l.data, l.made_at, l.made_at, 0)
      ON CONFLICT (game_id, dedupe) DO NOTHING;
  END LOOP;
  RETURN seen;
END $$;

-- As record_commit, for those who would not wait: NULL also if somebody holds the game, or if a mail from the seat that
-- is late arrived before it was due. Each statement of a function sees what was committed before it began: the inbox is
-- seen as it is under the lock.
CREATE OR REPLACE FUNCTION record_commit_unless_held(
  game uuid, seen integer, head jsonb, new_events jsonb, changed_seats jsonb, letters jsonb, late integer, due timestamptz
) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM games WHERE game_id = game AND version = seen FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  PERFORM FROM inbox WHERE game_id = game AND seat = late AND due_at IS NOT NULL AND arrived_at < due;
  IF FOUND THEN
    RETURN NULL;
  END IF;
  RETURN record_commit(game, seen, head, new_events, changed_seats, letters);
END $$;

-- The game's head, its seats, who sits there by id, and its events from `after` on; NULL if there is none. All is seen at
-- the same instant, since a stable function sees what the statement sees that calls it. One table a statement, for the
-- sake of Citus; as json, since jsonb would be sorted and parsed on the way.
CREATE OR REPLACE FUNCTION read_game(game uuid, after integer) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
  head json;
  at_table json;
  ids uuid[];
  people json;
  told json;
BEGIN
  SELECT row_to_json(g) INTO head FROM games g WHERE game_id = game;
  SELECT json_agg(s ORDER BY seat), array_agg(player_id) || array_agg(owner_id) INTO at_table, ids
    FROM seats s WHERE game_id = game;
  SELECT json_object_agg(player_id, json_build_object('name', name, 'zone', zone, 'calendar', calendar,
      'notifications', notifications, 'has_webhooks', has_webhooks, 'unreachable_since', unreachable_since,
      'program_since', program_since)) INTO people
    FROM players WHERE player_id = ANY(ids);
  SELECT json_agg(json_build_object('seq', seq, 'version', version, 'type', type, 'seat', e.seat, 'body', body,
      'recorded_at', recorded_at, 'hash', hash) ORDER BY seq) INTO told
    FROM events e WHERE game_id = game AND seq >= after;
  RETURN CASE WHEN head IS NOT NULL THEN json_build_array(head, at_table, people, told) END;
END $$;
