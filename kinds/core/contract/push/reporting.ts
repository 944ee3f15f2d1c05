/** Whether the API servers of a cluster report, so that a controller need not poll. Pure. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../../machinery/api/speed.ts';
import { type Secret, secretName, secretValue } from '../cluster-secrets.ts';
import { type PushSettings, pushesWith, pushSettingsOf } from './configuration.ts';
import type { PushReason } from './rules.ts';

export interface Reporting {
  settings: PushSettings;
  namespace: string;
  cluster: string;
  token: Read<Secret>;
}

/** Undefined where API servers cannot reach Capstan. */
export const observeReporting = (
  { namespace, cluster }: { namespace: string; cluster: string },
  read: Reader,
  { config }: Context,
): Reporting | undefined => {
  const settings = pushSettingsOf(config);
  if (!settings) return undefined;
  const token = read.get<Secret>('Secret', { namespace, name: secretName(cluster, 'audit-webhook') });
  return { settings, namespace, cluster, token };
};

/** Static Pods of API servers; their command lines show what they report. */
export const isApiServer = ({ metadata }: KubeObject): boolean => metadata.labels?.component === 'kube-apiserver';

const commandsOf = ({ spec }: KubeObject): string[] =>
  ((spec as { containers?: { command?: string[] }[] } | undefined)?.containers ?? []).flatMap(
    ({ command = [] }) => command,
  );

/** Whether each API server has the present configuration, and reports for this reason. */
export const allReport = (
  { token, ...reporting }: Reporting,
  pods: readonly KubeObject[],
  reason: PushReason,
): boolean => {
  const value = secretValue(found(token), 'token');
  const apiServers = pods.filter(isApiServer);
  return (
    value !== undefined &&
    apiServers.length > 0 &&
    apiServers.every((pod) => pushesWith(commandsOf(pod), { ...reporting, token: value }, reason))
  );
};

/** Whether a report arrived in these seconds. */
export const hasReported = ({ now, reported, config }: Context, seconds: number): boolean => {
  const speed = speedOf(config);
  return reported !== undefined && now - reported <= (seconds * 1000) / speed;
};
