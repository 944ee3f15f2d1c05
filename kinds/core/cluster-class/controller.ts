/** The ClusterClass controller: owns the templates of a class, and reports whether Clusters can follow it. */

import { groupOf } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type ConditionDraft,
  defineController,
  found,
  type Plan,
  type Read,
} from '../../../machinery/api/reconcile.ts';
import { hasReference, ownerReference, patchAsObserved, withOwner } from '../../common/owners.ts';
import { type Discovered, inline, mergedDefinitions } from './definitions.ts';
import { discoverVariables } from './discover.ts';
import type { ClusterClass, ClusterClassStatus } from './schema.ts';
import { templatesOfClass } from './templates.ts';

export interface Observed {
  clusterClass: ClusterClass;
  templates: { label: string; read: Read<KubeObject> }[];
  /** By the patches whose extensions define variables. */
  discovered: (Discovered | { fault: string })[];
}

/** Seconds until an extension that did not answer is asked again. */
const retryInterval = 60;

const referencesCondition = ({ templates }: Observed): ConditionDraft => {
  const missing = templates.flatMap(({ label, read }) => (read.state === 'absent' ? [`${label} does not exist`] : []));
  return missing.length > 0
    ? {
        type: 'RefVersionsUpToDate',
        status: 'Unknown',
        reason: 'RefVersionsUpToDateInternalError',
        message: missing.join('; '),
      }
    : { type: 'RefVersionsUpToDate', status: 'True', reason: 'RefVersionsUpToDate', message: '' };
};

const variablesCondition = (faults: readonly string[]): ConditionDraft =>
  faults.length > 0
    ? {
        type: 'VariablesReady',
        status: 'False',
        reason: 'VariableDiscoveryFailed',
        message: faults.join('; '),
      }
    : { type: 'VariablesReady', status: 'True', reason: 'VariablesReady', message: '' };

type Variables = NonNullable<ClusterClassStatus['variables']>;

const ownVariables = ({ spec }: ClusterClass): Variables =>
  (spec?.variables ?? []).map(({ name, required, schema, deprecatedV1Beta1Metadata }) => ({
    name,
    definitions: [{ from: inline, required, schema, ...(deprecatedV1Beta1Metadata && { deprecatedV1Beta1Metadata }) }],
  }));

/** The variables of the class and of its extensions, or what was known of these while they cannot be asked. */
const variablesOf = ({ clusterClass, discovered }: Observed): { variables: Variables; faults: string[] } => {
  const own = ownVariables(clusterClass);
  const faults = discovered.flatMap((one) => ('fault' in one ? [one.fault] : []));
  const usable = discovered.filter((one) => !('fault' in one));
  const { variables, conflicts } = mergedDefinitions(own, usable as Discovered[]);
  const names = conflicts.length > 0 ? [`variables are defined in different ways: ${conflicts.join(', ')}`] : [];
  if (faults.length === 0) return { variables, faults: names };
  const known = (clusterClass.status?.variables ?? []).filter(({ name }) => !own.some((one) => one.name === name));
  return { variables: [...own, ...known], faults };
};

const statusOf = (observed: Observed): { status: ClusterClassStatus; isReady: boolean } => {
  const { clusterClass } = observed;
  const { variables, faults } = variablesOf(observed);
  const { variables: _, ...status } = clusterClass.status ?? {};
  const own = [variablesCondition(faults), referencesCondition(observed)];
  const others = (status.conditions ?? []).filter(({ type }) => !own.some((one) => one.type === type));
  return {
    isReady: faults.length === 0,
    status: {
      ...status,
      ...(variables.length > 0 && { variables }),
      conditions: [...own, ...others].toSorted((a, b) =>
        a.type < b.type ? -1 : 1,
      ) as ClusterClassStatus['conditions'] & {},
    },
  };
};

export const clusterClassController = defineController<ClusterClass, Observed>({
  name: 'cluster-class',
  for: 'ClusterClass',
  worker: 'core',
  watches: [
    { role: 'InfrastructureClusterTemplate', to: 'referrers' },
    { role: 'ControlPlaneTemplate', to: 'referrers' },
    { role: 'InfrastructureMachineTemplate', to: 'referrers' },
    { role: 'BootstrapConfigTemplate', to: 'referrers' },
  ],
  conditions: 'v1beta2',
  observe: (clusterClass, read) => {
    const { namespace = '', deletionTimestamp } = clusterClass.metadata;
    const refs = clusterClass.spec && !deletionTimestamp ? templatesOfClass(clusterClass.spec) : [];
    return {
      clusterClass,
      discovered: deletionTimestamp ? [] : discoverVariables(clusterClass, read),
      templates: refs.map(({ apiVersion, kind, name }) => ({
        label: `${kind} ${name}`,
        read: read.get<KubeObject>(kind, { namespace, name }, { group: groupOf(apiVersion), role: '' }),
      })),
    };
  },
  reconcile: (observed): Plan<ClusterClassStatus> => {
    const { clusterClass, templates } = observed;
    if (clusterClass.metadata.deletionTimestamp) return {};
    const owner = ownerReference(clusterClass);
    const unique = new Map(templates.flatMap(({ read }) => found(read) ?? []).map((one) => [one.metadata.uid, one]));
    const adopted = [...unique.values()].filter((one) => !one.metadata.deletionTimestamp && !hasReference(one, owner));
    const { status, isReady } = statusOf(observed);
    return {
      ...(!isReady && { requeueAfter: retryInterval }),
      actions: adopted.map((one) => patchAsObserved(one, { metadata: { ownerReferences: withOwner(one, owner) } })),
      status,
    };
  },
});
