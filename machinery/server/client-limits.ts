/** Limits of one client in one process, before and after authentication. */
import { tooManyRequests } from '../api/errors.ts';
import type { User } from '../api/kind.ts';
import { createLimits, type Rate } from '../limits.ts';
import type { Clock } from '../ports.ts';

export interface ClientRates {
  /** Requests from one address; absent = unlimited. */
  perAddress?: Rate;
  /** Requests of one user; absent = unlimited. */
  perUser?: Rate;
}

export interface ClientLimits {
  /** Throws 429 beyond the limit of the address. */
  admit(request: Request): void;
  /** Throws 429 beyond the limit of the user. */
  admitUser(user: User): void;
}

/** The address that the gateway or the front saw: they replace what the client claims. */
export const addressOf = (request: Request): string | undefined => request.headers.get('x-forwarded-for') ?? undefined;

export const createClientLimits = ({ perAddress, perUser }: ClientRates, clock: Pick<Clock, 'now'>): ClientLimits => {
  const take = (rate: Rate | undefined) => {
    const limits = rate && createLimits(clock, rate);
    return (name: string | undefined): void => {
      if (limits && name !== undefined && !limits.take(name))
        throw tooManyRequests('Too many requests, please try again later.');
    };
  };
  const [ofAddress, ofUser] = [take(perAddress), take(perUser)];
  return { admit: (request) => ofAddress(addressOf(request)), admitUser: ({ username }) => ofUser(username) };
};
