/** Webhooks of users: where they are, and how they are called. */

/** A webhook is at a URL or behind a service. */
export interface WebhookClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  caBundle?: string;
}

/** Where a webhook is called. `path` follows that of the URL; certificates are of `serverName` if there is one. */
export interface WebhookTarget extends WebhookClientConfig {
  path?: string;
  serverName?: string;
}

/** A POST to a webhook; the JSON of its answer. Rejects with what a user may read. `timeout`: in milliseconds. */
export type CallWebhook = (target: WebhookTarget, body: unknown, options?: { timeout?: number }) => Promise<unknown>;
