-- One row per order. order_version is the sequence of the last event that was applied: the order guard.
-- Sorted by order_id: ids are made in time order, so the primary key serves the list, and the status needs one index more.
CREATE TABLE shipments (
    order_id         text COLLATE "C" NOT NULL,
    order_version    bigint      NOT NULL,
    status           text        NOT NULL,
    customer_id      text        NOT NULL,
    lines            jsonb       NOT NULL,
    total_minor      bigint      NOT NULL,
    currency         text        NOT NULL,
    shipping_address jsonb       NOT NULL,
    refusals         jsonb       NOT NULL DEFAULT '[]',
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    dispatched_at    timestamptz,
    cancelled_at     timestamptz,
    CONSTRAINT shipments_pkey PRIMARY KEY (order_id),
    CONSTRAINT shipments_order_version CHECK (order_version >= 1),
    CONSTRAINT shipments_status CHECK (status IN ('preparing', 'dispatched', 'cancelled')),
    CONSTRAINT shipments_dispatched_has_its_time CHECK ((status = 'dispatched') = (dispatched_at IS NOT NULL)),
    CONSTRAINT shipments_cancelled_has_its_time CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL))
);

CREATE INDEX shipments_listed_by_status ON shipments (status, order_id);
