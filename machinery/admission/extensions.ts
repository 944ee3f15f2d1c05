/** The rules for writing objects of admission. The first such write loads them. */
import {
  admissionGroup,
  admissionTypes,
  type MutatingPolicy,
  type ValidatingPolicy,
  type WebhookConfiguration,
} from '../api/admission.ts';
import { invalid } from '../api/errors.ts';
import { equal } from '../api/merge.ts';
import type { Kinds } from '../controller/kinds.ts';
import { onDemand } from '../once.ts';
import type { Extension } from '../server/registry.ts';

const expressions = onDemand(() => import('./expression-faults.ts'));
const types = onDemand(() => import('./type-checking.ts'));

/** Loads them ahead of their first use. */
export const loadAdmissionRules = async (): Promise<void> => {
  await Promise.all([expressions(), types()]);
};

/** Checks the expressions of a policy, and notes in its status which do not fit the resources. */
const admitPolicy =
  (kinds: Kinds): NonNullable<Extension['admit']> =>
  async (object, { old, operation, subresource }) => {
    const policy = object as ValidatingPolicy;
    if (operation === 'delete' || subresource === 'status') return policy;
    if (old && equal(old.spec, policy.spec)) return policy;
    const faults = (await expressions()).validatingFaults(policy);
    if (faults.length > 0)
      throw invalid({ group: admissionGroup, kind: 'ValidatingAdmissionPolicy' }, policy.metadata.name, faults);
    const expressionWarnings = await (await types()).typeWarnings(kinds, policy);
    const observedGeneration = old ? (old.metadata.generation ?? 0) + 1 : 1;
    const typeChecking = expressionWarnings.length > 0 ? { expressionWarnings } : {};
    return { ...policy, status: { ...policy.status, observedGeneration, typeChecking } };
  };

/** Checks the expressions of a mutating policy. */
const admitMutatingPolicy: NonNullable<Extension['admit']> = async (object, { old, operation }) => {
  const policy = object as MutatingPolicy;
  if (operation === 'delete' || (old && equal(old.spec, policy.spec))) return policy;
  const faults = (await expressions()).mutatingFaults(policy);
  if (faults.length > 0)
    throw invalid({ group: admissionGroup, kind: 'MutatingAdmissionPolicy' }, policy.metadata.name, faults);
  return policy;
};

/** Checks the conditions of webhooks. */
const admitWebhooks: NonNullable<Extension['admit']> = async (object, { old, operation }) => {
  const { webhooks = [] } = object as WebhookConfiguration;
  if (operation === 'delete' || webhooks.every(({ matchConditions }) => !matchConditions?.length)) return object;
  if (old && equal((old as WebhookConfiguration).webhooks, webhooks)) return object;
  const { conditionFaults } = await expressions();
  const faults = webhooks.flatMap(({ matchConditions }, i) =>
    conditionFaults(matchConditions, `webhooks[${i}].matchConditions`, false),
  );
  if (faults.length > 0) throw invalid({ group: admissionGroup, kind: object.kind }, object.metadata.name, faults);
  return object;
};

/** Extensions of the registry by resource. `changed` runs after a change of any of the objects. */
export const admissionExtensions = (kinds: Kinds, changed: () => void): Record<string, Extension> => ({
  [admissionTypes.policies]: { admit: admitPolicy(kinds), changed },
  [admissionTypes.bindings]: { changed },
  [admissionTypes.mutatingPolicies]: { admit: admitMutatingPolicy, changed },
  [admissionTypes.mutatingBindings]: { changed },
  [admissionTypes.validatingWebhooks]: { admit: admitWebhooks, changed },
  [admissionTypes.mutatingWebhooks]: { admit: admitWebhooks, changed },
});
