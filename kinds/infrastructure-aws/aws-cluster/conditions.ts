/** Conditions of an AWSCluster, with the AWS provider's types and reasons. */
import { type LegacyDraft, legacyFalse } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { warnUnheeded } from '../not-acted-on.ts';

export const principalUsageAllowed = 'PrincipalUsageAllowed';
export const principalCredentialRetrieved = 'PrincipalCredentialRetrieved';
/** Capstan's own condition: False lists spec fields that have no effect. */
export const specActedOn = 'SpecActedOn';

/** One condition a type: the condition of a failed call replaces that of its part. */
export const withFailed = (conditions: readonly LegacyDraft[], failed: LegacyDraft | undefined): LegacyDraft[] =>
  failed ? [...conditions.filter(({ type }) => type !== failed.type), failed] : [...conditions];

/**
 * Not part of Ready: ignored fields do no harm to the cluster. `forgone`: changes that the
 * controller skips.
 */
export const reportOf = (object: KubeObject, forgone: readonly string[] = []): LegacyDraft[] => {
  const unheeded = [...warnUnheeded(object), ...forgone];
  return unheeded.length ? [legacyFalse(specActedOn, 'NotActedOn', 'Info', unheeded.join('; '))] : [];
};
