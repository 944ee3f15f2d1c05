import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { createAccount, wellBehaved } from '../../simulation/aws/index.ts';
import { autoScalingContract } from './auto-scaling.contract.ts';
import { cloudContract } from './cloud.contract.ts';
import type { CloudUnderTest } from './cloud.fixture.ts';
import { cloudListsContract } from './cloud-lists.contract.ts';

const quietGuests = {
  boot: () => {},
  halt: () => {},
  forget: () => {},
  answers: () => false,
  console: () => '',
  onChange: () => {},
  listen: () => {},
  close: () => {},
};

const open = async (): Promise<CloudUnderTest> => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  let port = 30_000;
  const account = createAccount({
    clock,
    random: seededRandom(7),
    storage: memoryStorage(clock),
    network: { listen: () => {}, close: () => {}, reserve: () => ++port },
    guests: quietGuests,
    behaviour: wellBehaved,
  });
  return {
    cloud: account,
    region: 'us-east-1',
    settle: async (done) => {
      for (let passed = 0; passed < 600 && !(await done()); passed += 5) await clock.advance(5_000);
    },
    alarm: async (name, state) => account.alarm('us-east-1', name, state),
    close: async () => account.stop(),
  };
};

cloudContract('the simulated account', open);
cloudListsContract('the simulated account', open);
autoScalingContract('the simulated account', open);
