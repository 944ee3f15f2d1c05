/** Events of the account's event bus: delayed, and perhaps lost or duplicated. */
import { type AccountState, scaled } from './state.ts';

/** `key` names the event: one that is sent again while it is on its way replaces it. */
export const sendEvent = (account: AccountState, key: string, deliver: () => void): void => {
  const { behaviour, random, timers, clock } = account;
  const send = (which: string, delay: number): void =>
    timers.at(`event/${which}/${key}`, clock.now() + scaled(account, delay), deliver);
  if (behaviour.lostEvents === 0 || random.next() >= behaviour.lostEvents) send('first', behaviour.delays.event);
  if (behaviour.duplicatedEvents > 0 && random.next() < behaviour.duplicatedEvents)
    send('again', behaviour.delays.event * (1 + 9 * random.next()));
};
