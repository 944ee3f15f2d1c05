/**
 * The kubeconfigs of an EKS cluster: one with a token, which is renewed before it expires, and one for
 * users, who get tokens of their own. Pure.
 */
import type { Action } from '../../../machinery/api/reconcile.ts';
import { controllerReference, patchAsObserved } from '../../common/owners.ts';
import { clusterSecret, type Secret, secretName } from '../../core/contract/cluster-secrets.ts';
import { renderKubeconfig } from '../../core/contract/kubeconfig.ts';
import type { EksCluster } from '../../ports/cloud/index.ts';
import type { AWSManagedControlPlane } from './schema.ts';

/** When the token was written, RFC 3339. */
const writtenAt = 'capstan.dev/token-written';
/** STS takes a token for 15 minutes. */
const renewedAfter = 10 * 60_000;

/** Milliseconds since the epoch; NaN while there is none. */
export const tokenTime = (secret: Secret | undefined): number =>
  Date.parse(secret?.metadata.annotations?.[writtenAt] ?? '');

const ageOf = (secret: Secret, now: number): number => {
  const since = tokenTime(secret);
  return Number.isNaN(since) ? Number.POSITIVE_INFINITY : now - since;
};

export const isDue = (secret: Secret | undefined, now: number): boolean =>
  secret === undefined || ageOf(secret, now) >= renewedAfter;

/** Seconds until the token is due. */
export const dueAfter = (secret: Secret | undefined, now: number): number =>
  secret === undefined || isDue(secret, now)
    ? renewedAfter / 1000
    : Math.ceil((renewedAfter - ageOf(secret, now)) / 1000);

interface Kubeconfigs {
  controlPlane: AWSManagedControlPlane;
  clusterName: string;
  eksCluster: EksCluster;
  now: number;
}

const rendered = ({ eksCluster }: Kubeconfigs, user: Record<string, unknown>, userName: string): string =>
  renderKubeconfig({
    cluster: {
      'certificate-authority-data': eksCluster.certificateAuthority?.data ?? '',
      server: eksCluster.endpoint ?? '',
    },
    user,
    names: { cluster: eksCluster.name, user: userName, context: `${userName}@${eksCluster.name}` },
  });

const saved = (
  { controlPlane, clusterName, now }: Kubeconfigs,
  name: string,
  present: Secret | undefined,
  values: Record<string, string>,
): Action => {
  const secret = clusterSecret({
    namespace: controlPlane.metadata.namespace ?? '',
    name,
    cluster: clusterName,
    owner: controllerReference(controlPlane),
    values,
  });
  const annotations = { [writtenAt]: new Date(now).toISOString() };
  return present
    ? patchAsObserved(present, { metadata: { annotations }, data: secret.data })
    : { do: 'create', object: { ...secret, metadata: { ...secret.metadata, annotations } } };
};

/** The keys that clients of the AWS provider read. */
export const saveToken = (of: Kubeconfigs, token: string, present: Secret | undefined): Action => {
  const user = `${of.eksCluster.name}-capi-admin`;
  return saved(of, secretName(of.clusterName, 'kubeconfig'), present, {
    value: rendered(of, { token }, user),
    relative: rendered(of, { tokenFile: './token-file' }, user),
    'token-file': token,
  });
};

const plugins = {
  'iam-authenticator': (name: string) => ({ command: 'aws-iam-authenticator', args: ['token', '-i', name] }),
  'aws-cli': (name: string, region: string) => ({
    command: 'aws',
    args: ['eks', 'get-token', '--cluster-name', name, '--region', region],
  }),
};

export const createUserKubeconfig = (of: Kubeconfigs): Action => {
  const { region = '', tokenMethod = 'iam-authenticator' } = of.controlPlane.spec ?? {};
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    ...plugins[tokenMethod](of.eksCluster.name, region),
    interactiveMode: 'IfAvailable',
  };
  return saved(of, `${of.clusterName}-user-kubeconfig`, undefined, {
    value: rendered(of, { exec }, `${of.eksCluster.name}-user`),
  });
};
