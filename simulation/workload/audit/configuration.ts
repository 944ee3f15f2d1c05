/** The audit configuration that an API server reads at its start: a policy, and the kubeconfig of a webhook. */
import type { StaticPod } from '../records.ts';
import type { AuditEvent } from './events.ts';

interface PolicyRule {
  level: string;
  users?: string[];
  userGroups?: string[];
  verbs?: string[];
  resources?: { group: string; resources: string[] }[];
  nonResourceURLs?: string[];
}

export interface AuditConfiguration {
  rules: PolicyRule[];
  /** The URL of the webhook, and the bearer token for it. */
  server: string;
  token: string;
}

interface Kubeconfig {
  clusters?: { cluster?: { server?: string } }[];
  users?: { user?: { token?: string } }[];
}

/** Undefined without an audit webhook. */
export const auditConfigurationOf = (
  manifest: StaticPod | undefined,
  files: ReadonlyMap<string, string>,
): AuditConfiguration | undefined => {
  const fileOf = (flag: string): string | undefined => {
    const path = manifest?.command.find((one) => one.startsWith(`--${flag}=`))?.slice(flag.length + 3);
    return path === undefined ? undefined : files.get(path);
  };
  const [policy, kubeconfig] = [fileOf('audit-policy-file'), fileOf('audit-webhook-config-file')];
  if (policy === undefined || kubeconfig === undefined) return undefined;
  const { clusters, users } = JSON.parse(kubeconfig) as Kubeconfig;
  return {
    rules: (JSON.parse(policy) as { rules: PolicyRule[] }).rules,
    server: clusters?.[0]?.cluster?.server ?? '',
    token: users?.[0]?.user?.token ?? '',
  };
};

const resourceOf = ({ resource, subresource }: NonNullable<AuditEvent['objectRef']>): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`;

const matches = ({ users, userGroups, verbs, resources, nonResourceURLs }: PolicyRule, event: AuditEvent): boolean => {
  if (users && !users.includes(event.user.username)) return false;
  if (userGroups && !event.user.groups.some((group) => userGroups.includes(group))) return false;
  if (verbs && !verbs.includes(event.verb)) return false;
  const { objectRef, requestURI } = event;
  const isListed = ({ group, resources: names }: { group: string; resources: string[] }): boolean =>
    objectRef !== undefined && group === (objectRef.apiGroup ?? '') && names.includes(resourceOf(objectRef));
  if (resources) return resources.some(isListed);
  return !nonResourceURLs || (!objectRef && nonResourceURLs.includes(requestURI.split('?', 1)[0]!));
};

/** The first rule that matches decides. */
export const isLogged = ({ rules }: AuditConfiguration, event: AuditEvent): boolean =>
  (rules.find((rule) => matches(rule, event))?.level ?? 'None') !== 'None';
