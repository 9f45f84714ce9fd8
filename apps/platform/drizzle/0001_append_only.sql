-- Lines of the operation log are written once; no program of the platform changes or removes them.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The operation log is append-only.' USING ERRCODE = 'insufficient_privilege';
END
$$;
--> statement-breakpoint
CREATE TRIGGER operation_logs_append_only BEFORE UPDATE OR DELETE ON "operation_logs" FOR EACH ROW EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER operation_logs_no_truncate BEFORE TRUNCATE ON "operation_logs" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
