/** Amounts of dollars as text, such as `0.0832` and `12.50`. Pure. */

/** With cents at least, and a hundredth of a cent at most. */
export const dollarText = (amount: number): string => amount.toFixed(4).replace(/0{1,2}$/, '');

export const dollarPattern = '^[0-9]{1,9}(\\.[0-9]{1,6})?$';
export const dollarRule = 'must be dollars, such as "12.50"';
export const parseDollars = (text: string): number | undefined =>
  new RegExp(dollarPattern).test(text) ? Number(text) : undefined;
