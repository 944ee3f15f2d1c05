/** What the Installation reports: its freeze stops everything. */
import type { CauseRules } from '../../common/causes/index.ts';
import type { InstallationStatus } from './schema.ts';

export const installationCauses: CauseRules = {
  group: 'capstan.dev',
  kind: 'Installation',
  others: (installation) => {
    const { frozen } = (installation.status ?? {}) as InstallationStatus;
    if (!frozen) return [];
    return [
      {
        object: installation,
        type: 'Frozen',
        reason: frozen.reason,
        message: `is frozen (${frozen.reason})${frozen.message ? `: ${frozen.message}` : ''}`,
        level: 'hold',
        since: frozen.since,
        rule: {
          next: 'No controller acts until the freeze is lifted, and conditions may be out of date',
          advice: 'Find out why objects and account differ before you lift it',
          run: () => ['capstan status', 'capstan thaw'],
        },
      },
    ];
  },
  conditions: {},
};
