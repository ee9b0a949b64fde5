/** What all HTTP endpoints of this service share: strict JSON and problems as in RFC 9457. */
package dev.outboxlog.http;
