-- What a hook's messages look like (Slack, Teams, Discord, signed JSON), and what each message said, for the delivery log.
ALTER TABLE hooks ADD COLUMN format TEXT NOT NULL DEFAULT 'webhook';
ALTER TABLE deliveries ADD COLUMN title TEXT NOT NULL DEFAULT '';
