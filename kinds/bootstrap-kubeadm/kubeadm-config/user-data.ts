/** Assembles the user data of one host from the observed objects. */
import { type Context, found } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { publicKeyHashes } from '../../core/contract/certificate-bundle.ts';
import { secretValue } from '../../core/contract/cluster-secrets.ts';
import { serverOf } from '../../core/contract/cluster-status.ts';
import type { Machine } from '../../core/machine/schema.ts';
import { certificateFiles } from './certificates.ts';
import { documents, renderCloudConfig, type UserData, type WriteFile } from './cloud-config.ts';
import { clusterFacts } from './cluster-facts.ts';
import { type KubeadmApi, kubeadmApiOf, renderInit, renderJoin } from './kubeadm-documents.ts';
import { discoveryKubeconfig } from './kubeconfig.ts';
import type { Ingredients } from './observe.ts';
import { type PushPlan, withPatches } from './push.ts';
import { forRestore, restoreCommand, restoreFile, type SnapshotFile } from './restore.ts';
import type { JoinConfiguration, KubeadmConfigSpec } from './schema.ts';
import { type Resolved, resolveFiles, resolveUsers } from './sources.ts';

export interface BootInput {
  spec: KubeadmConfigSpec;
  machine: Machine;
  cluster: Cluster;
  ingredients: Ingredients;
  push: Pick<PushPlan, 'files'>;
}

const controlPlaneVersion = ({ ingredients: { controlPlane } }: BootInput): string | undefined => {
  const { spec } = (controlPlane && found(controlPlane)) ?? {};
  return (spec as { version?: string } | undefined)?.version;
};

const apiFor = ({ machine }: BootInput): Resolved<KubeadmApi> => {
  const version = machine.spec?.version ?? '';
  const api = kubeadmApiOf(version);
  return api ? { value: api } : { fault: `Kubernetes version ${JSON.stringify(version)} is not supported` };
};

/** `own`: files before and after the user's. */
const assemble = (
  input: BootInput,
  own: { before: WriteFile[]; after: WriteFile[] },
  kubeadm: UserData['kubeadm'],
): Resolved<string> => {
  const { spec, ingredients } = input;
  const values = { controlPlaneVersion: controlPlaneVersion(input) };
  const files = resolveFiles(spec, ingredients.sources, values);
  if ('fault' in files) return files;
  const users = resolveUsers(spec, ingredients.sources);
  if ('fault' in users) return users;
  const all = [...own.before, ...files.value, ...own.after];
  return { value: renderCloudConfig({ spec, files: all, users: users.value, kubeadm }) };
};

/** The files of a control plane host. */
const controlPlaneFiles = ({ spec, ingredients, push }: BootInput): WriteFile[] => [
  ...certificateFiles(ingredients.certificates, spec.clusterConfiguration?.certificatesDir),
  ...push.files.map((file) => ({ ...file, owner: 'root:root', permissions: '0600' })),
];

const withInitPatches = ({ spec, push }: BootInput): KubeadmConfigSpec => {
  const initConfiguration = withPatches(spec.initConfiguration, push.files);
  return initConfiguration ? { ...spec, initConfiguration } : spec;
};

export const initUserData = (input: BootInput, { now }: Context): Resolved<string> => {
  const api = apiFor(input);
  if ('fault' in api) return api;
  const facts = clusterFacts(input.cluster, input.machine.spec?.version ?? '');
  const document = renderInit(api.value, withInitPatches(input), facts, now);
  return assemble(input, { before: controlPlaneFiles(input), after: [] }, { action: 'init', document });
};

/** Of the host that initializes its cluster anew, with etcd as the snapshot has it. */
export const restoreUserData = (
  input: BootInput,
  { file, url }: { file: SnapshotFile; url: string },
  { now }: Context,
): Resolved<string> => {
  const api = apiFor(input);
  if ('fault' in api) return api;
  const facts = clusterFacts(input.cluster, input.machine.spec?.version ?? '');
  const document = renderInit(api.value, forRestore(withInitPatches(input), file), facts, now);
  const after = [restoreFile(url, file, input.machine.metadata.name)];
  const before = restoreCommand(documents.init);
  return assemble(input, { before: controlPlaneFiles(input), after }, { action: 'init', document, before });
};

export type Discovery = NonNullable<JoinConfiguration['discovery']>;

/**
 * How the host discovers its cluster: as the user specified, otherwise with a bootstrap token, the
 * public endpoint and the hashes of the CA's public keys. It becomes part of the spec, which many
 * may read, so it holds no token but the user's.
 */
export const discoveryFor = ({ spec, cluster, ingredients }: BootInput): Discovery => {
  const discovery = spec.joinConfiguration?.discovery ?? {};
  if (discovery.file) return discovery;
  const given = discovery.bootstrapToken ?? {};
  const ca = secretValue(found(ingredients.certificates.secrets.ca), 'tls.crt') ?? '';
  const trust = given.unsafeSkipCAVerification
    ? { unsafeSkipCAVerification: true }
    : { caCertHashes: given.caCertHashes?.length ? given.caCertHashes : publicKeyHashes(ca) };
  const apiServerEndpoint = given.apiServerEndpoint ?? serverOf(cluster) ?? '';
  return { ...discovery, bootstrapToken: { ...given, ...trust, apiServerEndpoint } };
};
export const withToken = (discovery: Discovery, token: string): Discovery => ({
  ...discovery,
  bootstrapToken: { ...discovery.bootstrapToken, token },
});

const discoveryFiles = ({ cluster, ingredients }: BootInput, { discovery }: JoinConfiguration): WriteFile[] => {
  const { kubeConfig, kubeConfigPath } = discovery?.file ?? {};
  if (!kubeConfig || !kubeConfigPath) return [];
  const defaults = {
    server: `https://${serverOf(cluster) ?? ''}`,
    caCertificate: secretValue(found(ingredients.certificates.secrets.ca), 'tls.crt') ?? '',
  };
  const content = discoveryKubeconfig(kubeConfig, defaults);
  return [{ path: kubeConfigPath, owner: 'root:root', permissions: '0640', content }];
};

// Keeps pods off a new worker until the Machine controller knows its Node.
const uninitialized = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' };
const asWorker = (join: JoinConfiguration): JoinConfiguration => {
  const { taints = [] } = join.nodeRegistration ?? {};
  const others = taints.filter(({ key }) => key !== uninitialized.key);
  return { ...join, nodeRegistration: { ...join.nodeRegistration, taints: [...others, uninitialized] } };
};

export const joinUserData = (input: BootInput, discovery: Discovery, isControlPlane: boolean): Resolved<string> => {
  const api = apiFor(input);
  if ('fault' in api) return api;
  const { spec } = input;
  if (!isControlPlane && spec.joinConfiguration?.controlPlane)
    return { fault: 'joinConfiguration.controlPlane is set, but the Machine is not a control plane machine' };
  const join: JoinConfiguration = { ...spec.joinConfiguration, discovery };
  const configuration = isControlPlane
    ? { ...join, ...withPatches(join, input.push.files), controlPlane: join.controlPlane ?? {} }
    : asWorker(join);
  const document = renderJoin(api.value, configuration);
  const own = { before: isControlPlane ? controlPlaneFiles(input) : [], after: discoveryFiles(input, join) };
  return assemble(input, own, { action: 'join', document });
};
