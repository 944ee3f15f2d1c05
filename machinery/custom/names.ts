/** Which names of a definition are accepted, and what its conditions say of it. Pure. */
import { caBundleFault } from '../api/ca-bundle.ts';
import { conditionOf } from '../api/conditions.ts';
import { timestamp } from '../api/lifecycle.ts';
import { equal } from '../api/merge.ts';
import type { Condition } from '../api/object.ts';
import type { Definition, DefinitionNames, DefinitionStatus } from './definition.ts';

type Draft = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Replaces one condition; its time changes with its status. */
export const withCondition = (conditions: readonly Condition[] = [], draft: Draft, now: number): Condition[] => {
  const before = conditionOf(conditions, draft.type);
  const lastTransitionTime = before?.status === draft.status ? before.lastTransitionTime : timestamp(now);
  const next: Condition = {
    lastTransitionTime: lastTransitionTime ?? timestamp(now),
    message: draft.message ?? '',
    reason: draft.reason ?? '',
    status: draft.status,
    type: draft.type,
  };
  return before ? conditions.map((one) => (one.type === draft.type ? next : one)) : [...conditions, next];
};

/** The names that definitions of a group hold. */
const takenBy = (definitions: readonly Definition[]) => {
  const accepted = definitions.map(({ status }) => status?.acceptedNames ?? {});
  return {
    resources: new Set(
      accepted.flatMap(({ plural, singular, shortNames = [] }) => [plural ?? '', singular ?? '', ...shortNames]),
    ),
    kinds: new Set(accepted.flatMap(({ kind, listKind }) => [kind ?? '', listKind ?? ''])),
  };
};

type Conflict = { reason: string; message: string };

/**
 * The names that the definition holds now, and why it does not hold all that it asks for. A name in
 * conflict stays as it was; the last conflict is reported.
 */
const namesOf = (asked: DefinitionNames, held: Partial<DefinitionNames>, group: readonly Definition[]) => {
  const { resources, kinds } = takenBy(group);
  const names: Partial<DefinitionNames> = { ...held };
  let conflict: Conflict | undefined;
  const report = (reason: string, taken: readonly string[]) => {
    const texts = [...new Set(taken)].map((name) => `${JSON.stringify(name)} is already in use`);
    conflict = { reason, message: texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]` };
  };
  const ask = (field: 'plural' | 'singular' | 'kind' | 'listKind', taken: ReadonlySet<string>, reason: string) => {
    const name = asked[field] ?? '';
    if (name !== held[field] && taken.has(name)) report(reason, [name]);
    else names[field] = name;
  };
  ask('plural', resources, 'PluralConflict');
  ask('singular', resources, 'SingularConflict');
  const shortNames = asked.shortNames ?? [];
  const lost = shortNames.filter((name) => !held.shortNames?.includes(name) && resources.has(name));
  if (lost.length > 0) report('ShortNamesConflict', lost);
  else if (shortNames.length > 0) names.shortNames = shortNames;
  else delete names.shortNames;
  ask('kind', kinds, 'KindConflict');
  ask('listKind', kinds, 'ListKindConflict');
  if (asked.categories?.length) names.categories = asked.categories;
  else delete names.categories;
  return { names, conflict };
};

const storedIn = ({ spec, status }: Definition): string[] => {
  const stored = status?.storedVersions ?? [];
  const storage = (spec?.versions ?? []).find((version) => version.storage)?.name;
  return storage === undefined || stored.includes(storage) ? stored : [...stored, storage];
};

const protectedGroup = /(^|\.)(k8s\.io|kubernetes\.io)$/;
/** The annotation with which the Kubernetes project approves a kind in a group of its own. */
export const approval = 'api-approved.kubernetes.io';

/** Why a group of the Kubernetes project may not be used; undefined if it may, or needs no approval. */
export const approvalOf = ({ spec, metadata }: Definition) => {
  if (!protectedGroup.test(spec?.group ?? '')) return undefined;
  const text = metadata.annotations?.[approval] ?? '';
  if (text === '') {
    const message = `protected groups must have approval annotation "${approval}", see https://github.com/kubernetes/enhancements/pull/1111`;
    return { status: 'False', reason: 'MissingAnnotation', message, text } as const;
  }
  if (text.startsWith('unapproved')) {
    const message = `not approved: "${text}"`;
    return { status: 'False', reason: 'UnapprovedAnnotation', message, text } as const;
  }
  if (URL.canParse(text))
    return { status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${text}`, text } as const;
  const message = `protected groups must have approval annotation "${approval}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`;
  return { status: 'False', reason: 'InvalidAnnotation', message, text } as const;
};

const established = ({ spec }: Definition, isInConflict: boolean): Draft => {
  const type = 'Established';
  if (isInConflict) return { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  const { caBundle } = spec?.conversion?.webhook?.clientConfig ?? {};
  if (caBundle && caBundleFault(caBundle) !== undefined)
    return { type, status: 'False', reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' };
  return { type, status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' };
};

/** The status of a written definition. `group`: the definitions of its group, itself included. */
export const statusOf = (definition: Definition, group: readonly Definition[], now: number): DefinitionStatus => {
  const { names, conflict } = namesOf(definition.spec!.names, definition.status?.acceptedNames ?? {}, group);
  let conditions: Condition[] = definition.status?.conditions ?? [];
  const set = (draft: Draft) => {
    const before = conditionOf(conditions, draft.type);
    const isSame =
      before?.status === draft.status && before.reason === draft.reason && before.message === draft.message;
    if (!isSame) conditions = withCondition(conditions, draft, now);
  };
  set(
    conflict
      ? { type: 'NamesAccepted', status: 'False', ...conflict }
      : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  );
  if (conditionOf(conditions, 'Established')?.status !== 'True') set(established(definition, conflict !== undefined));
  const approved = approvalOf(definition);
  if (approved) {
    const { status, reason, message } = approved;
    set({ type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message });
  }
  const status = { ...definition.status, conditions, acceptedNames: names, storedVersions: storedIn(definition) };
  return equal(status, definition.status) ? definition.status! : status;
};

/** The definition with the defaults of its names, its conversion and its stored versions. */
export const withDefaultNames = (definition: Definition): Definition => {
  const { spec } = definition;
  if (!spec) return definition;
  const { names, conversion } = spec;
  const { webhook } = conversion ?? {};
  const service = webhook?.clientConfig?.service;
  return {
    ...definition,
    status: { ...definition.status, storedVersions: storedIn(definition) },
    spec: {
      ...spec,
      names: {
        ...names,
        ...(!names?.singular && names?.kind && { singular: names.kind.toLowerCase() }),
        ...(!names?.listKind && names?.kind && { listKind: `${names.kind}List` }),
      },
      conversion: service
        ? {
            ...conversion!,
            webhook: { ...webhook!, clientConfig: { ...webhook!.clientConfig, service: { port: 443, ...service } } },
          }
        : (conversion ?? { strategy: 'None' }),
    },
  };
};
