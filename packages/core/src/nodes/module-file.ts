/** Whether Node can load a file as a module of functions: JavaScript, by its extension (F-23). */
export function isModuleFile(path: string): boolean {
  return /\.[cm]?js$/.test(path);
}
