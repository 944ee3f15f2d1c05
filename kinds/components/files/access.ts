/** Who may enter an API server: its configurations of authentication and authorization. Pure. */
import { parseDuration } from '../../../machinery/api/durations.ts';
import { boolean, duration, list, object, text } from '../shape.ts';
import { type Fields, type FileType, fieldsOf, isSubdomain, listOf, textOf, textsOf } from './document.ts';

const group = 'apiserver.config.k8s.io';

const faultsOfUrl = (at: string, url: string): string[] => {
  if (!URL.canParse(url)) return [`${at}: Invalid value: "${url}": URL scheme must be https`];
  const { protocol, username, password, search, hash } = new URL(url);
  return [
    ...(protocol === 'https:' ? [] : [`${at}: Invalid value: "${url}": URL scheme must be https`]),
    ...(username || password ? [`${at}: Invalid value: "${url}": URL must not contain a username or password`] : []),
    ...(search ? [`${at}: Invalid value: "${url}": URL must not contain a query`] : []),
    ...(hash ? [`${at}: Invalid value: "${url}": URL must not contain a fragment`] : []),
  ];
};

const faultsOfIssuer = (at: string, { url, discoveryURL, audiences, audienceMatchPolicy }: Fields): string[] => {
  const names = textsOf(audiences);
  const policy = textOf(audienceMatchPolicy);
  return [
    ...(textOf(url) === '' ? [`${at}.url: Required value`] : faultsOfUrl(`${at}.url`, textOf(url))),
    ...(textOf(discoveryURL) === '' ? [] : faultsOfUrl(`${at}.discoveryURL`, textOf(discoveryURL))),
    ...(names.length === 0 ? [`${at}.audiences: Required value: at least one ${at}.audiences is required`] : []),
    ...(new Set(names).size < names.length ? [`${at}.audiences: Duplicate value`] : []),
    ...(names.length > 1 && policy !== 'MatchAny'
      ? [
          `${at}.audienceMatchPolicy: Invalid value: "${policy}": audienceMatchPolicy must be MatchAny for multiple audiences`,
        ]
      : []),
    ...(names.length === 1 && policy !== '' && policy !== 'MatchAny'
      ? [`${at}.audienceMatchPolicy: Invalid value: "${policy}": must be empty or MatchAny for single audience`]
      : []),
  ];
};

/** A claim with its prefix, or an expression. */
const faultsOfMapping = (at: string, mapping: Fields, isRequired: boolean): string[] => {
  const [claim, expression] = [textOf(mapping.claim), textOf(mapping.expression)];
  const hasPrefix = mapping.prefix !== undefined && mapping.prefix !== null;
  if (claim && expression) return [`${at}: Invalid value: claim and expression can't both be set`];
  if (!claim && !expression && isRequired) return [`${at}: Required value: claim or expression is required`];
  if (claim && !hasPrefix)
    return [
      `${at}.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
    ];
  return expression && hasPrefix ? [`${at}.prefix: Invalid value: may not be specified when expression is set`] : [];
};

const faultsOfRule = (at: string, { claim, expression, message, requiredValue }: Fields): string[] => {
  if (textOf(claim) && textOf(expression)) return [`${at}: Invalid value: claim and expression can't both be set`];
  if (!textOf(claim) && !textOf(expression)) return [`${at}: Required value: claim or expression is required`];
  if (textOf(claim) && textOf(message)) return [`${at}.message: Invalid value: may not be specified when claim is set`];
  return textOf(expression) && textOf(requiredValue)
    ? [`${at}.requiredValue: Invalid value: may not be specified when expression is set`]
    : [];
};

const faultsOfJwt = ({ issuer, claimMappings, claimValidationRules }: Fields, index: number): string[] => {
  const at = `jwt[${index}]`;
  const { username, groups } = fieldsOf(claimMappings);
  return [
    ...faultsOfIssuer(`${at}.issuer`, fieldsOf(issuer)),
    ...listOf(claimValidationRules).flatMap((rule, i) => faultsOfRule(`${at}.claimValidationRules[${i}]`, rule)),
    ...faultsOfMapping(`${at}.claimMappings.username`, fieldsOf(username), true),
    ...faultsOfMapping(`${at}.claimMappings.groups`, fieldsOf(groups), false),
  ];
};

const prefixed = object({ claim: text, prefix: text, expression: text });

export const authenticationConfiguration: FileType = {
  kind: 'AuthenticationConfiguration',
  versions: { [`${group}/v1alpha1`]: 29, [`${group}/v1beta1`]: 30, [`${group}/v1`]: 34 },
  shape: object({
    apiVersion: text,
    kind: text,
    jwt: list(
      object({
        issuer: object({
          url: text,
          discoveryURL: text,
          certificateAuthority: text,
          audiences: list(text),
          audienceMatchPolicy: text,
          egressSelectorType: text,
        }),
        claimValidationRules: list(object({ claim: text, requiredValue: text, expression: text, message: text })),
        claimMappings: object({
          username: prefixed,
          groups: prefixed,
          uid: object({ claim: text, expression: text }),
          extra: list(object({ key: text, valueExpression: text })),
        }),
        userValidationRules: list(object({ expression: text, message: text })),
      }),
    ),
    anonymous: object({ enabled: boolean, conditions: list(object({ path: text })) }),
  }),
  strictSince: 0,
  validate: ({ jwt, anonymous }) => {
    const issuers = listOf(jwt).map(({ issuer }) => textOf(fieldsOf(issuer).url));
    const { enabled, conditions } = fieldsOf(anonymous);
    return [
      ...listOf(jwt).flatMap(faultsOfJwt),
      ...(new Set(issuers).size < issuers.length ? ['jwt: Duplicate value of issuer.url'] : []),
      ...(enabled !== true && listOf(conditions).length > 0
        ? ['anonymous.conditions: Invalid value: enabled should be set to true when conditions are defined']
        : []),
    ];
  },
};

const modes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'];

const faultsOfConnection = (at: string, { type, kubeConfigFile }: Fields): string[] => {
  const path = textOf(kubeConfigFile);
  switch (textOf(type)) {
    case 'InClusterConfig':
      return path ? [`${at}.kubeConfigFile: Invalid value: can only be set when type=KubeConfigFile`] : [];
    case 'KubeConfigFile':
      if (!path) return [`${at}.kubeConfigFile: Required value`];
      return path.startsWith('/') ? [] : [`${at}.kubeConfigFile: Invalid value: "${path}": must be an absolute path`];
    default:
      return [
        `${at}.type: Unsupported value: "${textOf(type)}": supported values: "InClusterConfig", "KubeConfigFile"`,
      ];
  }
};

const faultsOfWebhook = (at: string, webhook: Fields): string[] => {
  const oneOf = (field: string, values: readonly string[]) =>
    values.includes(textOf(webhook[field]))
      ? []
      : [`${at}.${field}: Unsupported value: "${textOf(webhook[field])}": supported values: "${values.join('", "')}"`];
  const conditions = listOf(webhook.matchConditions);
  return [
    ...(textOf(webhook.timeout) ? [] : [`${at}.timeout: Required value`]),
    ...((parseDuration(textOf(webhook.timeout)) ?? 0) > 30
      ? [`${at}.timeout: Invalid value: "${webhook.timeout}": must be > 0s and <= 30s`]
      : []),
    ...oneOf('subjectAccessReviewVersion', ['v1', 'v1beta1']),
    ...oneOf('failurePolicy', ['NoOpinion', 'Deny']),
    ...(conditions.length > 0 || textOf(webhook.matchConditionSubjectAccessReviewVersion)
      ? oneOf('matchConditionSubjectAccessReviewVersion', ['v1'])
      : []),
    ...faultsOfConnection(`${at}.connectionInfo`, fieldsOf(webhook.connectionInfo)),
  ];
};

const faultsOfAuthorizer = (one: Fields, index: number, all: readonly Fields[]): string[] => {
  const at = `authorizers[${index}]`;
  const [type, name] = [textOf(one.type), textOf(one.name)];
  const before = all.slice(0, index);
  if (!modes.includes(type))
    return [`${at}.type: Unsupported value: "${type}": supported values: "${modes.join('", "')}"`];
  if (type !== 'Webhook' && before.some((other) => textOf(other.type) === type))
    return [`${at}.type: Duplicate value: "${type}"`];
  const hasWebhook = one.webhook !== undefined && one.webhook !== null;
  return [
    ...(name === '' ? [`${at}.name: Required value`] : []),
    ...(name !== '' && !isSubdomain(name) ? [`${at}.name: Invalid value: "${name}": authorizer name is invalid`] : []),
    ...(name !== '' && before.some((other) => textOf(other.name) === name)
      ? [`${at}.name: Duplicate value: "${name}"`]
      : []),
    ...(type === 'Webhook' && !hasWebhook ? [`${at}.webhook: Required value: required when type=Webhook`] : []),
    ...(type === 'Webhook' && hasWebhook ? faultsOfWebhook(at, fieldsOf(one.webhook)) : []),
    ...(type !== 'Webhook' && hasWebhook
      ? [`${at}.webhook: Invalid value: may only be specified when type=Webhook`]
      : []),
  ];
};

export const authorizationConfiguration: FileType = {
  kind: 'AuthorizationConfiguration',
  versions: { [`${group}/v1alpha1`]: 29, [`${group}/v1beta1`]: 30, [`${group}/v1`]: 32 },
  shape: object({
    apiVersion: text,
    kind: text,
    authorizers: list(
      object({
        type: text,
        name: text,
        webhook: object({
          authorizedTTL: duration,
          cacheAuthorizedRequests: boolean,
          unauthorizedTTL: duration,
          cacheUnauthorizedRequests: boolean,
          timeout: duration,
          subjectAccessReviewVersion: text,
          matchConditionSubjectAccessReviewVersion: text,
          failurePolicy: text,
          connectionInfo: object({ type: text, kubeConfigFile: text }),
          matchConditions: list(object({ expression: text })),
        }),
      }),
    ),
  }),
  strictSince: 0,
  validate: ({ authorizers }) =>
    listOf(authorizers).length === 0
      ? ['authorizers: Required value: at least one authorization mode must be defined']
      : listOf(authorizers).flatMap(faultsOfAuthorizer),
};
