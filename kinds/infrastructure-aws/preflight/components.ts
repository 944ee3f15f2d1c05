/** Checks that the programs of the machines start with the flags that they get: a machine without them never joins. */
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import { parseVersion } from '../../common/kubernetes-version.ts';
import { normalVersion } from '../../common/validate.ts';
import { judgeNetworking } from '../../components/kubeadm/config.ts';
import type { HostType } from '../../components/kubeadm/preflight.ts';
import { codeOf, judgeKubeadmSpec, messageOf, type SecretValue } from '../../components/kubeadm-spec.ts';
import { type Secret, secretValue } from '../../core/contract/cluster-secrets.ts';
import { publisher } from '../aws-machine/image.ts';
import type { PlannedMachines, PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused, refusedAt } from './finding.ts';
import { imageFor } from './images.ts';

export const judgeComponents = (facts: PreflightFacts): Finding[] =>
  facts.machines.flatMap((planned) => judgeMachines(planned, hostOf(planned, facts)));

const hostOf = (planned: PlannedMachines, { cloud, awsCluster }: PreflightFacts): HostType => {
  const spec = found(planned.spec);
  const type = spec && cloud?.types.get(spec.instanceType);
  const info = type && found(type);
  const cluster = found(awsCluster)?.spec;
  const image = spec && cloud && cluster && imageFor(planned, spec, cluster, cloud);
  return {
    processors: info?.VCpuInfo.DefaultVCpus,
    memoryMiB: info?.MemoryInfo.SizeInMiB,
    isPublished: image?.OwnerId === publisher,
  };
};

const networkFields: Readonly<Record<string, string>> = {
  dnsDomain: 'serviceDomain',
  podSubnet: 'pods.cidrBlocks',
  serviceSubnet: 'services.cidrBlocks',
};

/** kubeadm takes the network of the cluster from its Cluster. */
export const judgeClusterNetwork = ({ cluster, controlPlane }: PreflightFacts): Finding[] => {
  const { pods, services, serviceDomain } = cluster.spec?.clusterNetwork ?? {};
  const spec = controlPlane && found(controlPlane)?.spec;
  if (!spec) return [];
  const network = {
    podSubnet: pods?.cidrBlocks.join(','),
    serviceSubnet: services?.cidrBlocks.join(','),
    dnsDomain: serviceDomain,
  };
  const args = spec.kubeadmConfigSpec?.clusterConfiguration?.controllerManager?.extraArgs;
  return judgeNetworking(network, args, '').map(({ path, value, why }) =>
    refused(
      `${nameOf(cluster)} spec.clusterNetwork.${networkFields[path.slice(1)]}: kubeadm would refuse ${value}: ${why}: change it`,
    ),
  );
};

const secretsOf =
  (sources: PlannedMachines['sources'] = []): SecretValue =>
  ({ name, key }) =>
    secretValue(found(sources.find((one) => one.name === name && one.key === key)?.secret ?? absent), key);
const absent: Read<Secret> = { state: 'absent' };

const judgeMachines = (
  { config, version, controlPlane, kubeadm, sources }: PlannedMachines,
  host: HostType,
): Finding[] => {
  const spec = config && found(config.spec);
  const release = version === undefined ? undefined : parseVersion(normalVersion(version));
  if (!spec || !kubeadm || release?.major !== 1) return [];
  const { object, path } = config.at;
  return judgeKubeadmSpec(spec, release.minor, controlPlane, { secret: secretsOf(sources), host })
    .filter(({ isUncertain }) => !isUncertain)
    .map((fault) =>
      refusedAt(
        { object, path: `${path}.${fault.path}`, fault: messageOf(fault, release.minor), remedy: fault.remedy },
        codeOf(fault),
      ),
    );
};
