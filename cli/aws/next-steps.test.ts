import { describe, expect, it } from 'vitest';
import { type Deployed, renderNextSteps } from './next-steps.ts';

const deployed = (more: Partial<Deployed> = {}): Deployed => ({
  session: { region: 'eu-central-1', profile: 'dev', account: '111122223333', caller: 'arn', isEmulated: false },
  installation: 'capstan',
  context: { administrators: 'arn:aws:iam::111122223333:role/Admin' },
  isMonitored: true,
  outputs: { Url: 'https://api.example', KeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/mrk-0a' },
  ...more,
});
const lineOf = (name: string, given: Deployed) =>
  renderNextSteps(given)
    .split('\n')
    .find((line) => line.startsWith(`  ${name} `));

describe('a deployment ends with', () => {
  it('the login command', () => {
    expect(renderNextSteps(deployed())).toMatch(/login --profile dev --region eu-central-1\n/);
  });

  it.each<{ rule: string; given: Partial<Deployed>; says: RegExp }>([
    {
      rule: 'says aloud that no user hears alarms',
      given: {},
      says: /NO USER HEARS THEM.*alarmEmail=.*capstan-alarms/,
    },
    {
      rule: 'names the address that must confirm',
      given: { context: { alarmEmail: 'a@b.example' } },
      says: /a@b\.example, which must confirm/,
    },
  ])('alarms: $rule', ({ given, says }) => expect(lineOf('alarms', deployed(given))).toMatch(says));

  it('whom it lets in: administrators, and viewers and those of break glass where they are named', () => {
    const context = { administrators: 'a', viewers: 'b,c', breakGlass: 'd' };
    expect(lineOf('administrators', deployed({ context }))).toMatch(/ a$/);
    expect(lineOf('viewers', deployed({ context }))).toMatch(/ b,c$/);
    expect(lineOf('break glass', deployed({ context }))).toMatch(/ d$/);
    expect(lineOf('viewers', deployed())).toBeUndefined();
  });

  it('no word of alarms that it did not deploy', () => {
    expect(lineOf('alarms', deployed({ isMonitored: false }))).toBeUndefined();
  });

  it('the advice to deploy again while Secrets of an older version may remain, and only then', () => {
    expect(lineOf('Secrets', deployed({ outputs: { FormerSecrets: 'true' } }))).toContain('deploy once more');
    expect(lineOf('Secrets', deployed())).toBeUndefined();
  });

  it.each([
    { KeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/mrk-0a', says: /takes all objects and snapshots: see/ },
    { KeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/0a', says: /and the key, which no other region can have/ },
  ])('what the loss of the region takes, with the key $KeyArn', ({ KeyArn, says }) => {
    expect(lineOf('region', deployed({ outputs: { KeyArn } }))).toMatch(says);
  });
});
