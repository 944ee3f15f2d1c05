/** The audit configuration that an API server reads at its start: a policy, and the kubeconfig of a webhook. */
import { yamlDocuments } from '../../../machinery/api/yaml.ts';
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

type Files = ReadonlyMap<string, string>;

/** The file that a flag names. Of files that commands may have written elsewhere nothing is known. */
const fileOf = (
  flag: string,
  manifest: StaticPod | undefined,
  files: Files,
): { path: string; text: string } | undefined => {
  const path = manifest?.command.findLast((one) => one.startsWith(`--${flag}=`))?.slice(flag.length + 3);
  const text = path === undefined ? undefined : files.get(path);
  return path === undefined || text === undefined ? undefined : { path, text };
};

/** The one document of a file, in YAML or JSON. Throws on what the parser refuses. */
const documentIn = (text: string): Record<string, unknown> => {
  const [document] = yamlDocuments(text);
  if (document?.errors[0]) throw new Error(`error converting YAML to JSON: yaml: ${document.errors[0].message}`);
  const value: unknown = document?.toJS();
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
};

const levels = ['None', 'Metadata', 'Request', 'RequestResponse'];

const faultOfRule = (
  { level, resources = [], nonResourceURLs = [] }: PolicyRule,
  index: number,
): string | undefined => {
  const at = `rules[${index}]`;
  if (!levels.includes(level))
    return `${at}.level: Unsupported value: "${level ?? ''}": supported values: "${levels.join('", "')}"`;
  if (resources.length > 0 && nonResourceURLs.length > 0)
    return `${at}.nonResourceURLs: Invalid value: rules cannot apply to both regular resources and non-resource URLs`;
  const group = resources.find((one) => one.group?.includes('/'))?.group;
  if (group !== undefined) return `${at}.resources.group: Invalid value: "${group}": group must not contain a slash`;
  const url = nonResourceURLs.find((one) => one.slice(0, -1).includes('*'));
  return url && `${at}.nonResourceURLs: Invalid value: "${url}": wildcards '*' must be the final character`;
};

const faultOfPolicy = (text: string): string | undefined => {
  const { apiVersion, kind, rules } = documentIn(text);
  if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy')
    return `failed decoding: no kind "${kind ?? ''}" is registered for version "${apiVersion ?? ''}" in scheme "pkg/audit/scheme.go"`;
  if (!Array.isArray(rules) || rules.length === 0) return 'loaded illegal policy with 0 rules';
  return (rules as PolicyRule[]).map(faultOfRule).find((fault) => fault !== undefined);
};

/** Why the API server exits on its audit policy; undefined if it starts. */
export const auditFailure = (manifest: StaticPod | undefined, files: Files): string | undefined => {
  const file = fileOf('audit-policy-file', manifest, files);
  if (!file) return undefined;
  const prefix = `loading audit policy file: failed to read from path "${file.path}": `;
  try {
    const fault = faultOfPolicy(file.text);
    return fault && `${prefix}${fault}`;
  } catch (error) {
    return `${prefix}${error instanceof Error ? error.message : String(error)}`;
  }
};

/** Undefined without an audit webhook. */
export const auditConfigurationOf = (manifest: StaticPod | undefined, files: Files): AuditConfiguration | undefined => {
  const policy = fileOf('audit-policy-file', manifest, files);
  const kubeconfig = fileOf('audit-webhook-config-file', manifest, files);
  if (!policy || !kubeconfig) return undefined;
  const { clusters, users } = documentIn(kubeconfig.text) as Kubeconfig;
  return {
    rules: (documentIn(policy.text) as unknown as { rules: PolicyRule[] }).rules,
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
