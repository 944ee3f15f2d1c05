/** The audit configuration that an API server reads at its start: a policy, and the kubeconfig of a webhook. */
import { fileIn, type Host } from '../../../kinds/components/files/host.ts';
import { documentValue, yamlDocuments } from '../../../machinery/api/yaml.ts';
import type { StaticPod } from '../records.ts';
import type { AuditEvent } from './events.ts';

interface PolicyRule {
  level: string;
  users?: string[];
  userGroups?: string[];
  verbs?: string[];
  /** Without a group: the core API. Without resources: all. */
  resources?: { group?: string; resources?: string[] }[];
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

/** What its container has of the file that a flag names. Of files that programs write nothing is known. */
const fileOf = (flag: string, { command, mounts = [] }: StaticPod, host: Host): string | undefined => {
  const path = command.findLast((one) => one.startsWith(`--${flag}=`))?.slice(flag.length + 3);
  const found = path === undefined ? undefined : fileIn('kube-apiserver', path, mounts, host);
  return found?.is === 'known' ? found.file.content : undefined;
};

/** The one document of a file, in YAML or JSON. */
const documentIn = (text: string): unknown => {
  const [document] = yamlDocuments(text);
  return document && documentValue(document);
};

/** Undefined without an audit webhook. */
export const auditConfigurationOf = (manifest: StaticPod | undefined, host: Host): AuditConfiguration | undefined => {
  const policy = manifest && fileOf('audit-policy-file', manifest, host);
  const kubeconfig = manifest && fileOf('audit-webhook-config-file', manifest, host);
  if (policy === undefined || kubeconfig === undefined) return undefined;
  const { clusters, users } = documentIn(kubeconfig) as Kubeconfig;
  return {
    rules: (documentIn(policy) as { rules: PolicyRule[] }).rules,
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
  const isListed = ({ group = '', resources: names = [] }: NonNullable<PolicyRule['resources']>[number]): boolean =>
    objectRef !== undefined &&
    group === (objectRef.apiGroup ?? '') &&
    (names.length === 0 || names.includes('*') || names.includes(resourceOf(objectRef)));
  if (resources) return resources.some(isListed);
  const [path = ''] = requestURI.split('?', 1);
  const isUrl = (url: string): boolean => (url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : path === url);
  return !nonResourceURLs || (!objectRef && nonResourceURLs.some(isUrl));
};

/** The first rule that matches decides. */
export const isLogged = ({ rules }: AuditConfiguration, event: AuditEvent): boolean =>
  (rules.find((rule) => matches(rule, event))?.level ?? 'None') !== 'None';
