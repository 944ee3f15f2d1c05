import { isDeepStrictEqual } from 'node:util';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { WorkloadSnapshotObject } from '../../../../kinds/core/workload-snapshot/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Claim, eventually } from '../eventually.ts';
import {
  clusterName,
  clusterOf,
  conditionIn,
  isGoing,
  isWorkedOn,
  not,
  type Verdict,
  verdictOf,
  worstOf,
} from '../relations.ts';
import type { Rule } from '../rule.ts';

const expiry = 'machine.cluster.x-k8s.io/certificates-expiry';
/** Node conditions with negative polarity. */
const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** Times are whole seconds. */
const second = 1000;

interface Template {
  version?: unknown;
  failureDomain?: unknown;
  bootstrap?: unknown;
  infrastructureRef?: unknown;
}
type Seen = { conditions?: { type: string; status: string }[] };

/** The fields of a template whose change replaces machines. */
const replacing = ({ version, failureDomain, bootstrap, infrastructureRef }: Template) => ({
  version,
  failureDomain,
  bootstrap,
  infrastructureRef,
});

const hasFailed = ({ status }: Machine): boolean => status?.deprecated?.v1beta1?.failureReason !== undefined;

export const machineConditions: Rule = (setting, broken) => {
  const { mirror, clock } = setting.world;
  const part = (machine: Machine, reference: { kind: string; name: string } | undefined) =>
    reference && mirror.get<KubeObject>(reference.kind, machine.metadata.namespace!, reference.name);

  const isReady = (machine: Machine): Verdict => {
    const gates = (machine.spec?.readinessGates ?? []).map(({ conditionType, polarity }) => {
      const verdict = verdictOf(machine, conditionType);
      return polarity === 'Negative' ? not(verdict) : verdict;
    });
    const health = verdictOf(machine, 'HealthCheckSucceeded');
    const own = ['BootstrapConfigReady', 'InfrastructureReady', 'NodeHealthy'].map((type) => verdictOf(machine, type));
    return worstOf([...own, ...gates, ...(health ? [health] : [])]);
  };

  const isAvailable = (machine: Machine): Verdict => {
    const { status, lastTransitionTime = '' } = conditionIn(machine, 'Ready') ?? {};
    const since = clock.now() - Date.parse(lastTransitionTime);
    return status === 'True' && since >= (machine.spec?.minReadySeconds ?? 0) * 1000 ? 'True' : 'False';
  };

  /** The readiness and health of a Node, by the last snapshot. */
  const isHealthy = (machine: Machine): { ready: Verdict; healthy: Verdict } | undefined => {
    const { namespace = '', labels = {} } = machine.metadata;
    const seen = mirror.get<WorkloadSnapshotObject>('WorkloadSnapshot', namespace, labels[clusterName] ?? '')?.spec;
    const node = seen?.nodes.find(({ providerID }) => providerID === machine.spec?.providerID) as Seen | undefined;
    const { infrastructureProvisioned, controlPlaneInitialized } =
      clusterOf(mirror, machine)?.status?.initialization ?? {};
    if (!infrastructureProvisioned || !controlPlaneInitialized || !machine.spec?.providerID) return undefined;
    if (!seen?.reachable || seen.failures > 0 || !node) return undefined;
    const statusOf = (type: string) => node.conditions?.find((one) => one.type === type)?.status as Verdict | undefined;
    return {
      ready: statusOf('Ready') ?? 'Unknown',
      healthy: worstOf([statusOf('Ready'), ...pressures.map((one) => not(statusOf(one)))]),
    };
  };

  /** Whether the machine matches the template of its deployment; undefined without a deployment. */
  const isUpToDate = (machine: Machine): Verdict | undefined => {
    const ownerOf = ({ metadata }: KubeObject) => metadata.ownerReferences?.find(({ controller }) => controller);
    const set = mirror.get<MachineSet>('MachineSet', machine.metadata.namespace!, ownerOf(machine)?.name ?? '');
    const owner = set && ownerOf(set);
    const deployment = mirror.get<MachineDeployment>(
      'MachineDeployment',
      machine.metadata.namespace!,
      owner?.name ?? '',
    );
    if (!set?.spec || !deployment?.spec) return undefined;
    const since = Date.parse(deployment.spec.rollout?.after ?? '');
    const created = Date.parse(set.metadata.creationTimestamp!);
    // Both times are whole seconds, so that a second apart they tell no order.
    if (Math.abs(created - since) <= second) return undefined;
    const isAged = since <= clock.now() && created < since;
    // A paused deployment does not roll out.
    if (isAged) return deployment.spec.paused ? undefined : 'False';
    const [is, should] = [set, deployment].map(({ spec }) => replacing(spec!.template.spec as Template));
    if (!isDeepStrictEqual(is, should)) return 'False';
    const { kubeletVersion } = machine.status?.nodeInfo ?? {};
    return kubeletVersion && machine.spec?.version && kubeletVersion !== machine.spec.version ? 'False' : 'True';
  };

  function* ofMachine(machine: Machine): Generator<Claim> {
    const name = `Machine ${machine.metadata.namespace}/${machine.metadata.name}`;
    const claim = (type: string, should: Verdict | undefined): Claim[] =>
      should ? [{ what: `${type} of ${name}`, is: verdictOf(machine, type), should }] : [];
    yield* claim('Ready', isReady(machine));
    yield* claim('Available', isAvailable(machine));
    yield* claim('UpToDate', isUpToDate(machine));
    const [host, config] = [
      part(machine, machine.spec?.infrastructureRef),
      part(machine, machine.spec?.bootstrap.configRef as { kind: string; name: string } | undefined),
    ];
    yield* claim('InfrastructureReady', verdictOf(host, 'Ready'));
    yield* claim('BootstrapConfigReady', verdictOf(config, 'Ready'));
    const seen = isHealthy(machine);
    yield* claim('NodeReady', seen?.ready);
    yield* claim('NodeHealthy', seen?.healthy);
    // v1beta1 clients learn only from this field that the machine failed for good.
    const { addresses, failureReason, ready } = (host?.status ?? {}) as AWSMachine['status'] & object;
    const isProvisioned = machine.status?.initialization?.infrastructureProvisioned === true;
    if (failureReason !== undefined || (!host && isProvisioned))
      yield { what: `whether ${name} reports its failure`, is: hasFailed(machine), should: true };
    // The Machine copies addresses only once its host has been ready.
    if (addresses && (ready || isProvisioned))
      yield { what: `addresses of ${name}`, is: machine.status?.addresses, should: addresses };
    if (!('cluster.x-k8s.io/control-plane' in (machine.metadata.labels ?? {}))) return;
    const noted = [machine, config].map((one) => one?.metadata.annotations?.[expiry]).find((one) => one !== undefined);
    const end = machine.status?.certificatesExpiryDate;
    if (noted)
      yield {
        what: `certificatesExpiryDate of ${name}`,
        is: Date.parse(end ?? ''),
        should: Math.floor(Date.parse(noted) / 1000) * 1000,
      };
  }

  return eventually(setting, broken, function* () {
    for (const machine of mirror.all<Machine>('Machine'))
      if (!isGoing(machine) && isWorkedOn(mirror, machine)) yield* ofMachine(machine);
  });
};
