import type { Webhook, WebhookConfiguration } from '../../../machinery/api/admission.ts';
import type { Column, KindDefinition } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  bytes,
  int32,
  listMap,
  required as mustHave,
  object,
  type Schema,
  string,
} from '../../../machinery/api/schema.ts';
import { oneOf } from '../admission/faults.ts';
import { failurePolicy, matchConditions, rule, selector, service } from '../admission/schemas.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { webhookFaults } from './faults.ts';
import {
  mutatingWebhookConfiguration as mutatingFacts,
  validatingWebhookConfiguration as validatingFacts,
} from './kind.ts';

const fields = {
  name: mustHave(string('Name of the webhook, a domain of at least three parts.')),
  clientConfig: mustHave(
    object('Where the webhook is.', {
      url: string('URL of the webhook, or that of the invocations of an AWS Lambda function.'),
      service,
      caBundle: bytes('Certificates of the authority that signs the certificate of the webhook.'),
    }),
  ),
  rules: atomicList('Requests for which the webhook is called.', rule),
  failurePolicy,
  matchPolicy: string('Equivalent also matches requests for other versions of the resource; Exact does not.'),
  namespaceSelector: selector('Selects the namespaces of objects by their labels.'),
  objectSelector: selector('Selects objects by their labels, before or after the request.'),
  sideEffects: mustHave(string('None, or NoneOnDryRun: what the webhook changes besides its answer.')),
  timeoutSeconds: int32('Seconds after which a call counts as failed: 1 to 30, by default 10.'),
  admissionReviewVersions: mustHave(
    atomicList('Versions of AdmissionReview that the webhook understands, preferred first.', string('')),
  ),
  matchConditions,
};

const webhooks = (of: Schema<unknown>) =>
  listMap('The webhooks.', ['name'], of, {
    'x-kubernetes-patch-merge-key': 'name',
    'x-kubernetes-patch-strategy': 'merge',
  });

const withDefaults = (webhook: Webhook): Webhook => {
  const { clientConfig = {}, rules } = webhook;
  const { service: own } = clientConfig;
  return {
    ...webhook,
    failurePolicy: webhook.failurePolicy ?? 'Fail',
    matchPolicy: webhook.matchPolicy ?? 'Equivalent',
    namespaceSelector: webhook.namespaceSelector ?? {},
    objectSelector: webhook.objectSelector ?? {},
    timeoutSeconds: webhook.timeoutSeconds ?? 10,
    ...(rules && { rules: rules.map((one) => ({ ...one, scope: one.scope ?? '*' })) }),
    ...(own && { clientConfig: { ...clientConfig, service: { ...own, port: own.port ?? 443 } } }),
  };
};

const withReinvocation = (webhook: Webhook): Webhook => ({
  ...withDefaults(webhook),
  reinvocationPolicy: webhook.reinvocationPolicy ?? 'Never',
});

const defaulting =
  (one: (webhook: Webhook) => Webhook) =>
  (configuration: KubeObject): KubeObject => {
    const { webhooks: own } = configuration as WebhookConfiguration;
    return own ? { ...configuration, webhooks: own.map(one) } : configuration;
  };

const validating =
  (isMutating: boolean): KindDefinition['validate'] =>
  (configuration, { operation }) => {
    if (operation === 'delete') return [];
    const { webhooks: own = [] } = configuration as WebhookConfiguration;
    return own.flatMap((webhook, i) => [
      ...webhookFaults(webhook, `webhooks[${i}]`),
      ...(isMutating
        ? oneOf(`webhooks[${i}].reinvocationPolicy`, webhook.reinvocationPolicy, ['IfNeeded', 'Never'])
        : []),
    ]);
  };

/** A service has an address here only if users give it one. */
const warn: KindDefinition['warn'] = (configuration) =>
  ((configuration as WebhookConfiguration).webhooks ?? []).flatMap(({ clientConfig }, i) => {
    const { name, namespace } = clientConfig?.service ?? {};
    return name === undefined
      ? []
      : [
          `webhooks[${i}].clientConfig.service ${namespace}/${name} needs an address in the ConfigMap webhook-services in kube-system`,
        ];
  });

const columns: Column[] = [
  {
    name: 'Webhooks',
    type: 'integer',
    value: (configuration) => ((configuration as WebhookConfiguration).webhooks ?? []).length,
    description: 'How many webhooks it has.',
  },
  age,
];

export const validatingWebhookConfiguration = defineBuiltIn({
  ...validatingFacts,
  categories: ['api-extensions'],
  generations: true,
  default: defaulting(withDefaults),
  validate: validating(false),
  warn,
  version: {
    description: 'Webhooks that admit or refuse requests.',
    fields: { webhooks: webhooks(object('A webhook.', fields)) },
    columns,
  },
});

export const mutatingWebhookConfiguration = defineBuiltIn({
  ...mutatingFacts,
  categories: ['api-extensions'],
  generations: true,
  default: defaulting(withReinvocation),
  validate: validating(true),
  warn,
  version: {
    description: 'Webhooks that change objects before they are admitted.',
    fields: {
      webhooks: webhooks(
        object('A webhook.', {
          ...fields,
          reinvocationPolicy: string('IfNeeded asks again when later webhooks changed the object; Never does not.'),
        }),
      ),
    },
    columns,
  },
});
