-- One row for each order. version is the sequence of the order's last event: it is raised under the row's lock in the transaction
-- that appends the event, so an order's events are numbered 1, 2, 3 … without gaps.
-- lines and shipping_address are documents: they are written and read as a whole and never searched.
CREATE TABLE orders (
  id               uuid        NOT NULL,
  version          bigint      NOT NULL,
  total_minor      bigint      NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  customer_id      text        NOT NULL,
  status           text        NOT NULL,
  currency         text        NOT NULL,
  lines            jsonb       NOT NULL,
  shipping_address jsonb       NOT NULL,
  CONSTRAINT orders_pkey PRIMARY KEY (id),
  CONSTRAINT orders_version_positive CHECK (version > 0),
  CONSTRAINT orders_total_not_negative CHECK (total_minor >= 0),
  CONSTRAINT orders_status_known CHECK (status IN ('placed', 'cancelled')),
  CONSTRAINT orders_currency_is_iso_4217 CHECK (currency ~ '^[A-Z]{3}$')
);
