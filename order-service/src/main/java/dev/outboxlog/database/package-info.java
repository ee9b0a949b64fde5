/** How this service connects to PostgreSQL: every wait is bounded. */
package dev.outboxlog.database;
