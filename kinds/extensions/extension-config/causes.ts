/** What an ExtensionConfig's conditions mean. */
import type { CauseRules } from '../../common/causes/index.ts';
import { runtimeGroup } from '../../common/versions.ts';

export const extensionConfigCauses: CauseRules = {
  group: runtimeGroup,
  kind: 'ExtensionConfig',
  conditions: {
    Discovered: {
      reasons: {
        NotDiscovered: {
          level: 'fault',
          advice: 'Make the extension answer at the address that spec.clientConfig names',
          next: 'Capstan asks it again every minute, and meanwhile calls the handlers that it had before',
        },
      },
      fine: ['Discovered'],
    },
  },
};
