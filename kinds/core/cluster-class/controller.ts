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
import type { ClusterClass, ClusterClassStatus } from './schema.ts';
import { templatesOfClass } from './templates.ts';

export interface Observed {
  clusterClass: ClusterClass;
  templates: { label: string; read: Read<KubeObject> }[];
}

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

const variablesCondition = ({ spec }: ClusterClass): ConditionDraft => {
  const external = (spec?.patches ?? []).filter((patch) => patch.external);
  const names = external.map(({ name }) => name).join(', ');
  return external.length > 0
    ? {
        type: 'VariablesReady',
        status: 'False',
        reason: 'VariableDiscoveryFailed',
        message: `patches by extensions are not supported: ${names}`,
      }
    : { type: 'VariablesReady', status: 'True', reason: 'VariablesReady', message: '' };
};

const statusOf = (observed: Observed): ClusterClassStatus => {
  const { clusterClass } = observed;
  const variables = (clusterClass.spec?.variables ?? []).map(
    ({ name, required, schema, deprecatedV1Beta1Metadata }) => ({
      name,
      definitions: [
        { from: 'inline', required, schema, ...(deprecatedV1Beta1Metadata && { deprecatedV1Beta1Metadata }) },
      ],
    }),
  );
  const { variables: _, ...status } = clusterClass.status ?? {};
  const own = [variablesCondition(clusterClass), referencesCondition(observed)];
  const others = (status.conditions ?? []).filter(({ type }) => !own.some((one) => one.type === type));
  return {
    ...status,
    ...(variables.length > 0 && { variables }),
    conditions: [...own, ...others].toSorted((a, b) =>
      a.type < b.type ? -1 : 1,
    ) as ClusterClassStatus['conditions'] & {},
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
    return {
      actions: adopted.map((one) => patchAsObserved(one, { metadata: { ownerReferences: withOwner(one, owner) } })),
      status: statusOf(observed),
    };
  },
});
