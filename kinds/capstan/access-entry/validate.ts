import type { FieldError } from '../../../machinery/api/kind.ts';
import { forbiddenField, invalidValue, requiredField } from '../../common/validate.ts';
import type { AccessEntry } from './schema.ts';

const principal = /^arn:[a-z-]+:iam::\d{12}:(role|user)\/[\x21-\x7e]+$/;
/** Only this program and AWS assert such names. */
const reserved = /^(system:|capstan:|arn:|eks:|aws:|amazon:|iam:)/i;
const reservedDetail = 'must not begin with system:, capstan:, arn:, eks:, aws:, amazon: or iam:';
const variables = new Set(['AccountID', 'SessionName', 'SessionNameRaw']);

const principalFaults = ({ principalARN, principalID, oidcGroup }: NonNullable<AccessEntry['spec']>): FieldError[] => {
  if (principalARN !== undefined && oidcGroup !== undefined)
    return [forbiddenField('spec.oidcGroup', 'an entry has either principalARN or oidcGroup')];
  if (oidcGroup !== undefined)
    return [
      ...(reserved.test(oidcGroup) ? [invalidValue('spec.oidcGroup', oidcGroup, reservedDetail)] : []),
      ...(principalID === undefined ? [] : [forbiddenField('spec.principalID', 'is only of a principalARN')]),
    ];
  if (principalARN === undefined) return [requiredField('spec.principalARN', 'or oidcGroup')];
  return principal.test(principalARN)
    ? []
    : [invalidValue('spec.principalARN', principalARN, 'must be the ARN of an IAM role or user')];
};

const usernameFaults = ({ username, principalARN }: NonNullable<AccessEntry['spec']>): FieldError[] => {
  const field = 'spec.username';
  if (username === undefined) return [];
  if (principalARN === undefined) return [forbiddenField(field, 'the members of a group keep their usernames')];
  if (reserved.test(username)) return [invalidValue(field, username, reservedDetail)];
  const used = [...username.matchAll(/\{\{(.*?)\}\}/g)];
  const unknown = used.find(([, name]) => !variables.has(name!));
  if (unknown)
    return [
      invalidValue(field, username, `${unknown[0]} is none of {{AccountID}}, {{SessionName}} and {{SessionNameRaw}}`),
    ];
  const session = used.find(([, name]) => name!.startsWith('SessionName'));
  if (!session) return [];
  if (!principalARN.includes(':role/')) return [invalidValue(field, username, 'a user of IAM has no sessions')];
  // A session chooses its name: without a prefix of its own it could be that of another user.
  return username.slice(0, session.index).includes(':')
    ? []
    : [invalidValue(field, username, `${session[0]} must follow a colon`)];
};

export const validate = ({ spec = {} }: AccessEntry): FieldError[] => [
  ...principalFaults(spec),
  ...usernameFaults(spec),
  ...(spec.username === undefined && !spec.groups?.length
    ? [requiredField('spec.groups', 'an entry has groups, a username or both')]
    : []),
  ...(spec.groups ?? []).flatMap((group, i) =>
    reserved.test(group) ? [invalidValue(`spec.groups[${i}]`, group, reservedDetail)] : [],
  ),
];
