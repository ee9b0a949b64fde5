/** Orders: the domain, its table, its events and its REST API. */
package dev.outboxlog.order;
