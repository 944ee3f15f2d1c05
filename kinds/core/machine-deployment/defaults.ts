import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { boundsOf } from '../../common/autoscale/annotations.ts';
import { declaredBy, planIn } from '../../common/autoscale/plan-entry.ts';
import { withClusterLabel } from '../../common/cluster-label.ts';
import { annotations, labels } from '../../common/labels.ts';
import { defaultReplicas } from '../../common/replicas.ts';
import { isEmptySelector } from '../../common/validate.ts';
import { templateWithVersion, wholeTemplate } from '../machine/defaults.ts';
import { withTemplateLabels } from '../machine-set/defaults.ts';
import type { MachineDeployment, MachineDeploymentSpec } from './schema.ts';

const withStrategy = (rollout: MachineDeploymentSpec['rollout']): MachineDeploymentSpec['rollout'] => {
  const { type = 'RollingUpdate', rollingUpdate } = rollout?.strategy ?? {};
  return {
    ...rollout,
    strategy: {
      type,
      ...(type === 'RollingUpdate'
        ? { rollingUpdate: { maxSurge: 1, maxUnavailable: 0, ...rollingUpdate } }
        : rollingUpdate && { rollingUpdate }),
    },
  };
};

/** Names the client that changes the replicas of a pool, which the autoscaler must tell from its own changes. */
const withWriter = (
  deployment: MachineDeployment,
  replicas: number | undefined,
  { old, user, byController, related }: Admission,
): MachineDeployment['metadata'] => {
  const { metadata } = deployment;
  const before = (old as MachineDeployment | undefined)?.spec?.replicas;
  if (byController || before === undefined || before === replicas) return metadata;
  if (!boundsOf(declaredBy(planIn(related), deployment))) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, [annotations.replicasSetBy]: user.username } };
};

export const defaultMachineDeployment = (object: KubeObject, admission: Admission): KubeObject => {
  const deployment = object as MachineDeployment;
  if (!deployment.spec) return object;
  const { selector, clusterName, rollout } = deployment.spec;
  const template = wholeTemplate(deployment.spec.template);
  const pool = declaredBy(planIn(admission.related), deployment);
  const replicas = defaultReplicas(pool, admission.old as MachineDeployment | undefined);
  const own = {
    ...(isEmptySelector(selector) && { [labels.deployment]: deployment.metadata.name }),
    [labels.cluster]: clusterName,
  };
  return withClusterLabel(
    {
      ...deployment,
      metadata: withWriter(deployment, replicas, admission),
      spec: {
        ...deployment.spec,
        ...(replicas !== undefined && { replicas }),
        rollout: withStrategy(rollout),
        selector: { ...selector, matchLabels: { ...selector.matchLabels, ...own } },
        template: templateWithVersion(withTemplateLabels(template, own)),
      },
    },
    clusterName,
  );
};
