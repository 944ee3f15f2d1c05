import { describe, expect, it } from 'vitest';
import { refusalOfSettings, type SettingsChange } from './settings-change.ts';

const administrators = 'arn:aws:iam::111122223333:role/Admin';
const isPrivate = { administrators, vpcEndpointIds: 'vpce-0a1b' };

const of = (Settings: Record<string, string>, Named: string[] = [], IsKnown: 'true' | 'false' = 'true') => ({
  Settings,
  Named,
  IsKnown,
});

const inFormat = (Format: number, settings: Record<string, string> = {}) => ({
  ...of({ administrators, ...settings }, Object.keys(settings)),
  Format: String(Format),
});

interface Given extends SettingsChange {
  rule: string;
  refused?: RegExp;
}

describe('the settings of a deployment', () => {
  it.each<Given>([
    { rule: 'may be those of a new installation', status: 'CREATE_IN_PROGRESS', next: of({ administrators }) },
    {
      rule: 'need an administrator, and the refusal says how to name one',
      status: 'CREATE_IN_PROGRESS',
      next: of({ sts: 'true' }),
      refused: /--context administrators=arn:aws:iam::\d+:role/,
    },
    {
      rule: 'may not lose the last administrator, even when that is named',
      status: 'UPDATE_IN_PROGRESS',
      before: of({ administrators }),
      next: of({}, ['administrators']),
      refused: /No administrators are named/,
    },
    {
      rule: 'may stay, whether the deployment knows them or repeats them',
      status: 'UPDATE_IN_PROGRESS',
      before: of(isPrivate),
      next: of(isPrivate, ['vpcEndpointIds', 'administrators'], 'false'),
    },
    {
      rule: 'may change when they are named',
      status: 'UPDATE_IN_PROGRESS',
      before: of(isPrivate),
      next: of({ ...isPrivate, vpcEndpointIds: 'vpce-9' }, ['vpcEndpointIds']),
    },
    {
      rule: 'may return to a default that is named',
      status: 'UPDATE_IN_PROGRESS',
      before: of(isPrivate),
      next: of({ administrators }, ['vpcEndpointIds']),
    },
    {
      rule: 'do not make a private API public unless that is named',
      status: 'UPDATE_IN_PROGRESS',
      before: of(isPrivate, ['vpcEndpointIds', 'administrators']),
      next: of({ administrators }, ['administrators'], 'false'),
      refused: /vpcEndpointIds from "vpce-0a1b" to its default.*name it: --context vpcEndpointIds=$/,
    },
    {
      rule: 'do not replace administrators unless that is named',
      status: 'UPDATE_IN_PROGRESS',
      before: of({ administrators }),
      next: of({ administrators: `${administrators}2` }),
      refused: /administrators from .*Admin" to .*Admin2"/,
    },
    {
      rule: 'of an installation older than the guard are refused when the deployment does not know them',
      status: 'UPDATE_IN_PROGRESS',
      next: of({ administrators }, ['administrators'], 'false'),
      refused: /does not know the settings/,
    },
    {
      rule: 'of an installation older than the guard are accepted when the deployment knows them',
      status: 'UPDATE_IN_PROGRESS',
      next: of({ administrators }),
    },
    {
      rule: 'come with a version that reads what is stored',
      status: 'UPDATE_IN_PROGRESS',
      before: inFormat(2),
      next: inFormat(1),
      refused: /too old .* format 1, and the installation has format 2\..*--context leaveFormat=2$/,
    },
    {
      rule: 'do not come with a version from before formats were recorded',
      status: 'UPDATE_IN_PROGRESS',
      before: inFormat(10),
      next: of({ administrators }),
      refused: /format 1, and the installation has format 10/,
    },
    {
      rule: 'may come with an older version of the same format',
      status: 'UPDATE_IN_PROGRESS',
      before: inFormat(1),
      next: of({ administrators }),
    },
    {
      rule: 'may come with a version of a newer format',
      status: 'UPDATE_IN_PROGRESS',
      before: of({ administrators }),
      next: inFormat(10),
    },
    {
      rule: 'may come with a version that is too old when the format is named',
      status: 'UPDATE_IN_PROGRESS',
      before: inFormat(3),
      next: inFormat(1, { leaveFormat: '3' }),
    },
    {
      rule: 'do not leave another format than the one that is named',
      status: 'UPDATE_IN_PROGRESS',
      before: inFormat(3),
      next: inFormat(1, { leaveFormat: '2' }),
      refused: /--context leaveFormat=3$/,
    },
    {
      rule: 'return with an older format in a rollback',
      status: 'UPDATE_ROLLBACK_IN_PROGRESS',
      before: inFormat(2),
      next: inFormat(1),
    },
    {
      rule: 'return in a rollback, whatever they are',
      status: 'UPDATE_ROLLBACK_IN_PROGRESS',
      before: of({ administrators }),
      next: of({}),
    },
  ])('$rule', ({ status, before, next, refused }) => {
    const refusal = refusalOfSettings({ status, next, before });
    if (refused) expect(refusal).toMatch(refused);
    else expect(refusal).toBeUndefined();
  });
});
