/** Parsers of option values; they throw usage errors. */
import { InvalidArgumentError } from 'commander';

export const positiveNumber = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('It must be a number above 0.');
  return value;
};

const wholeNumber = (text: string, least: number, most: number): number | undefined => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
};

export const positiveWholeNumber = (text: string): number => {
  const value = wholeNumber(text, 1, Number.MAX_SAFE_INTEGER);
  if (value === undefined) throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
};

export const portNumber = (text: string): number => {
  const value = wholeNumber(text, 1, 65_535);
  if (value === undefined) throw new InvalidArgumentError('It must be a port from 1 to 65535.');
  return value;
};

export const anyNumber = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
};
