/**
 * The control plane that a rollout leaves: what it works towards while no upgrade admits its spec,
 * and after a rollback. Its Machines tell what it was. Pure.
 */
import type { KubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import type { Admission } from '../../core/contract/rollout.ts';
import { asJoin, joinsAs } from './config-diff.ts';
import { byAge, isGoing, isUpToDate, type Member } from './control-plane.ts';
import type { KubeadmControlPlane, KubeadmControlPlaneSpec } from './index.ts';
import { clonedFromName, outOfDateReasons } from './up-to-date.ts';

/** The config of a control plane whose Machine has `current`. Discovery is per Machine. */
const configOf = (current: KubeadmConfigSpec, wanted: KubeadmConfigSpec = {}): KubeadmConfigSpec => {
  const { initConfiguration: _, joinConfiguration: __, ...rest } = current;
  const { discovery: ___, ...join } = (joinsAs(current) ?? asJoin(current, wanted).joinConfiguration)!;
  const discovery = wanted.joinConfiguration?.discovery;
  return {
    ...rest,
    ...(wanted.initConfiguration && { initConfiguration: wanted.initConfiguration }),
    joinConfiguration: { ...join, ...(discovery && { discovery }) },
  };
};

const specOf = (spec: KubeadmControlPlaneSpec, { machine, config, infraMachine }: Member): KubeadmControlPlaneSpec => {
  const { machineTemplate, rollout: { after: _, ...rollout } = {} } = spec;
  const { infrastructureRef } = machineTemplate.spec;
  const name = infraMachine?.metadata.annotations?.[clonedFromName] ?? infrastructureRef.name;
  return {
    ...spec,
    version: machine.spec?.version ?? spec.version,
    ...(config?.spec && { kubeadmConfigSpec: configOf(config.spec, spec.kubeadmConfigSpec) }),
    machineTemplate: {
      ...machineTemplate,
      spec: { ...machineTemplate.spec, infrastructureRef: { ...infrastructureRef, name } },
    },
    rollout,
  };
};

interface Working {
  kcp: KubeadmControlPlane;
  members: Member[];
}

/**
 * The control plane that the steps work towards, and its Machines as that one judges them. While no
 * revision is admitted, that of the newest outdated Machine stays: kubeadm's ConfigMap has its
 * version.
 */
export const workingTowards = ({ kcp, members }: Working, admission: Admission, now: number): Working => {
  const outdated = members.filter((member) => !isUpToDate(member));
  const last = outdated
    .filter((member) => !isGoing(member))
    .toSorted(byAge)
    .at(-1);
  if (admission.state === 'Admitted' || !kcp.spec || !last) return { kcp, members };
  const controlPlane = { ...kcp, spec: specOf(kcp.spec, last) };
  return {
    kcp: controlPlane,
    members: members.map((member) => {
      const { machine, infraMachine, config: bootstrapConfig } = member;
      return { ...member, outOfDate: outOfDateReasons({ machine, controlPlane, infraMachine, bootstrapConfig, now }) };
    }),
  };
};
