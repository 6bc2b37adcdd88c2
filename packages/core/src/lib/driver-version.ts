/** Whether somebody who asks about a driver has named one: `535.104.05`, `580`. */
export const isDriverVersion = (text: string): boolean => /^\d{1,6}(?:\.\d{1,6}){0,4}$/.test(text);
