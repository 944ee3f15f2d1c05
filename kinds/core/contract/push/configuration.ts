/**
 * The files and flags with which an API server reports to Capstan. kubeadm applies the flags as a
 * patch of this host's static Pod, so that the cluster's kubeadm configuration stays as the user
 * wrote it and other hosts need none of the files. Pure.
 */
import type { JsonObject, JsonValue } from '../../../../machinery/api/object.ts';
import { digestOf } from '../../../common/digest.ts';
import { auditPolicy, type PushReason } from './rules.ts';

/** Where API servers reach Capstan. */
export type PushSettings = {
  /** Of the webhooks of all clusters, without a trailing slash. */
  url: string;
  /** PEM; absent where hosts trust the certificate anyway. */
  certificateAuthority?: string;
};

/** The path of the webhooks below the URL of the installation. */
export const pushPath = '/capstan.dev/audit';

/** Undefined where API servers cannot reach Capstan. */
export const pushSettingsOf = (config: Record<string, JsonValue>): PushSettings | undefined =>
  config.push as PushSettings | undefined;

export interface Pushing {
  settings: PushSettings;
  namespace: string;
  cluster: string;
  token: string;
}

const directory = '/etc/kubernetes/capstan';
export const patchDirectory = `${directory}/patches`;

/**
 * Names the configuration, so that its flag shows whether an API server has the present one, and
 * whether its policy passes what the autoscaler waits for.
 */
const directoryOf = ({ settings, namespace, cluster, token }: Pushing, passesPods: boolean): string =>
  `${directory}/audit-${digestOf([{ ...settings }, namespace, cluster, token])}${passesPods ? '-pods' : ''}`;

const webhookFlag = (directory_: string): string => `--audit-webhook-config-file=${directory_}/webhook.json`;

const flagsOf = (directory_: string): string[] => [
  `--audit-policy-file=${directory_}/policy.json`,
  webhookFlag(directory_),
  '--audit-webhook-mode=batch',
  '--audit-webhook-batch-max-wait=1s',
  '--audit-webhook-batch-max-size=100',
  '--audit-webhook-batch-buffer-size=1000',
  '--audit-webhook-batch-throttle-qps=2',
  '--audit-webhook-batch-throttle-burst=5',
  '--audit-webhook-initial-backoff=1s',
];

const kubeconfigOf = ({ settings, namespace, cluster, token }: Pushing): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [
    {
      name: 'capstan',
      cluster: {
        server: `${settings.url}/${namespace}/${cluster}`,
        ...(settings.certificateAuthority && {
          'certificate-authority-data': Buffer.from(settings.certificateAuthority, 'utf8').toString('base64'),
        }),
      },
    },
  ],
  users: [{ name: cluster, user: { token } }],
  contexts: [{ name: 'capstan', context: { cluster: 'capstan', user: cluster } }],
  'current-context': 'capstan',
});

const append = (path: string, value: JsonValue): JsonObject => ({ op: 'add', path: `${path}/-`, value });

const patchOf = (directory_: string): JsonObject[] => [
  ...flagsOf(directory_).map((flag) => append('/spec/containers/0/command', flag)),
  append('/spec/containers/0/volumeMounts', { name: 'capstan-audit', mountPath: directory_, readOnly: true }),
  append('/spec/volumes', { name: 'capstan-audit', hostPath: { path: directory_, type: 'Directory' } }),
];

export interface PushFile {
  path: string;
  content: string;
}

export const pushFiles = (pushing: Pushing, reasons: readonly PushReason[]): PushFile[] => {
  const own = directoryOf(pushing, reasons.includes('autoscaling'));
  const file = (path: string, content: JsonValue) => ({ path, content: JSON.stringify(content, null, 2) });
  return [
    file(`${own}/policy.json`, auditPolicy(reasons)),
    file(`${own}/webhook.json`, kubeconfigOf(pushing)),
    file(`${patchDirectory}/kube-apiserver-capstan-audit+json.json`, patchOf(own)),
  ];
};

/** Whether an API server with this command line reports, for this reason, with the present configuration. */
export const pushesWith = (command: readonly string[], pushing: Pushing, reason: PushReason): boolean =>
  (reason === 'autoscaling' ? [true] : [true, false]).some((passesPods) =>
    command.includes(webhookFlag(directoryOf(pushing, passesPods))),
  );
