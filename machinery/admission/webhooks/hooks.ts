/** Webhooks in the order in which they are called, and whether one is called for a request. */
import type { Webhook, WebhookConfiguration } from '../../api/admission.ts';
import { forbidden } from '../../api/errors.ts';
import type { ReviewContext } from '../context.ts';
import { matchesConditions } from '../evaluate.ts';
import { formOf, selectsNamespace, selectsObject } from '../match.ts';
import type { ResourceForm, Review } from '../review.ts';

export interface Hook {
  /** Of the configuration. */
  configuration: string;
  /** Place in the configuration. */
  index: number;
  webhook: Webhook;
}

/** By the names of their configurations, then as listed. */
export const hooksOf = (configurations: readonly WebhookConfiguration[]): Hook[] =>
  [...configurations]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap(({ metadata, webhooks }) =>
      (webhooks ?? []).map((webhook, index) => ({ configuration: metadata.name, index, webhook })),
    );

/** The form in which a webhook takes the request; undefined if it is not called. */
export const calledForm = async (
  { webhook }: Hook,
  review: Review,
  context: ReviewContext,
): Promise<ResourceForm | undefined> => {
  const form = formOf(webhook.rules ?? [], webhook.matchPolicy, review);
  if (!form || !selectsObject(webhook.objectSelector, review)) return undefined;
  if (!(await selectsNamespace(webhook.namespaceSelector, review, context.labels))) return undefined;
  const { matchConditions = [], failurePolicy } = webhook;
  if (matchConditions.length === 0) return form;
  const scope = await context.scope(form);
  const matched = await context.decided(() => matchesConditions(matchConditions, scope));
  if ('error' in matched) {
    if (failurePolicy === 'Ignore') return undefined;
    throw forbidden({ group: review.asked.group, plural: review.asked.resource }, review.name, matched.error);
  }
  return matched.matches ? form : undefined;
};
