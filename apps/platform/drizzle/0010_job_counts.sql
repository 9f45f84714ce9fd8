-- The counts of a job are those of its items, whoever changes them; the state of the job is computed from the counts.
CREATE FUNCTION count_added_job_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE jobs SET
    queued_count = queued_count + counted.queued,
    running_count = running_count + counted.running,
    succeeded_count = succeeded_count + counted.succeeded,
    failed_count = failed_count + counted.failed,
    cancelled_count = cancelled_count + counted.cancelled
  FROM (
    SELECT job_id,
      count(*) FILTER (WHERE state = 'queued') AS queued,
      count(*) FILTER (WHERE state = 'running') AS running,
      count(*) FILTER (WHERE state = 'succeeded') AS succeeded,
      count(*) FILTER (WHERE state = 'failed') AS failed,
      count(*) FILTER (WHERE state = 'cancelled') AS cancelled
    FROM added GROUP BY job_id
  ) AS counted
  WHERE jobs.id = counted.job_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE FUNCTION count_moved_job_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE jobs SET
    queued_count = queued_count + counted.queued,
    running_count = running_count + counted.running,
    succeeded_count = succeeded_count + counted.succeeded,
    failed_count = failed_count + counted.failed,
    cancelled_count = cancelled_count + counted.cancelled
  FROM (
    SELECT job_id,
      coalesce(sum(step) FILTER (WHERE state = 'queued'), 0) AS queued,
      coalesce(sum(step) FILTER (WHERE state = 'running'), 0) AS running,
      coalesce(sum(step) FILTER (WHERE state = 'succeeded'), 0) AS succeeded,
      coalesce(sum(step) FILTER (WHERE state = 'failed'), 0) AS failed,
      coalesce(sum(step) FILTER (WHERE state = 'cancelled'), 0) AS cancelled
    FROM (
      SELECT job_id, state, 1 AS step FROM added UNION ALL SELECT job_id, state, -1 FROM removed
    ) AS moved
    GROUP BY job_id
  ) AS counted
  WHERE jobs.id = counted.job_id
    AND (counted.queued, counted.running, counted.succeeded, counted.failed, counted.cancelled) <> (0, 0, 0, 0, 0);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE FUNCTION settle_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.queued_count + NEW.running_count > 0 THEN
    NEW.ended_at := NULL;
    IF NEW.running_count > 0 THEN NEW.started_at := coalesce(NEW.started_at, now()); END IF;
  ELSE
    NEW.ended_at := coalesce(NEW.ended_at, clock_timestamp());
    NEW.executor_id := NULL;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER job_items_added AFTER INSERT ON "job_items"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_job_items();
--> statement-breakpoint
CREATE TRIGGER job_items_moved AFTER UPDATE ON "job_items"
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_moved_job_items();
--> statement-breakpoint
CREATE TRIGGER jobs_settled BEFORE UPDATE OF queued_count, running_count ON "jobs"
  FOR EACH ROW EXECUTE FUNCTION settle_job();
